package debug

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
	"time"
)

//go:embed page.html
var source string

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"clock": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000Z") },
	"ago":   func(now, t time.Time) string { return now.Sub(t).Round(time.Second).String() },
	"place": func(i int) int { return i + 1 },
	"round": func(d time.Duration) string { return d.Round(time.Microsecond).String() },
}).Parse(source))

// render writes a view as HTML, or as JSON to whoever asks for that.
func render(w http.ResponseWriter, r *http.Request, status int, name string, view any) {
	var b bytes.Buffer
	contentType := "text/html; charset=utf-8"
	var err error
	if wantsJSON(r) {
		contentType = "application/json"
		encoder := json.NewEncoder(&b)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(view)
	} else {
		err = templates.ExecuteTemplate(&b, name, view)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a reader that went away is no error of the page's
}

func wantsJSON(r *http.Request) bool {
	return r.URL.Query().Get("format") == "json" || r.Method == http.MethodPost ||
		strings.Contains(r.Header.Get("Accept"), "application/json")
}

// failure is what went wrong with a request to the page.
type failure struct{ Error string }

func fail(w http.ResponseWriter, r *http.Request, status int, message string) {
	render(w, r, status, "failure", failure{message})
}
