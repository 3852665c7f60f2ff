package cosmostest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Sign signs a request with the account's key, for requests that no client signs: it sets x-ms-date and Authorization.
func (a *Account) Sign(req *http.Request) error {
	to, err := parseTarget(req.URL.EscapedPath())
	if err != nil {
		return err
	}
	date := time.Now().UTC().Format(http.TimeFormat)
	req.Header.Set("X-Ms-Date", date)
	sig := signature(a.top.Load().key, req.Method, to, date)
	req.Header.Set("Authorization", url.QueryEscape("type=master&ver=1.0&sig="+sig))
	return nil
}

// signature is the master key signature of a request.
func signature(key []byte, method string, to target, date string) string {
	mac := hmac.New(sha256.New, key)
	text := strings.ToLower(method) + "\n" + to.kind + "\n" + to.link + "\n" + strings.ToLower(date) + "\n\n"
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// authorize checks the Authorization header.
func authorize(top *topology, rec *Request, to target) *failure {
	header := rec.Header.Get("Authorization")
	if strings.Contains(header, "%") {
		header, _ = url.QueryUnescape(header) // what does not unescape does not match either
	}
	token, sig, ok := strings.Cut(header, "&sig=")
	switch {
	case header == "":
		return fail(http.StatusUnauthorized, 0, "Required Header authorization is missing. Ensure a valid Authorization token is passed.")
	case !ok:
	case token == "type=master&ver=1.0":
		date := rec.Header.Get("X-Ms-Date")
		if date != "" && hmac.Equal([]byte(sig), []byte(signature(top.key, rec.Method, to, date))) {
			return nil
		}
	case token == "type=aad&ver=1.0":
		if len(top.cfg.Tokens) == 0 || slices.Contains(top.cfg.Tokens, sig) {
			return nil
		}
	}
	return fail(http.StatusUnauthorized, 0, "The input authorization token can't serve the request. The wrong key is being "+
		"used or the expected payload is not built as per the protocol. Server used the following payload to sign: '%s\n%s\n%s\n%s\n\n'",
		strings.ToLower(rec.Method), to.kind, to.link, strings.ToLower(rec.Header.Get("X-Ms-Date")))
}
