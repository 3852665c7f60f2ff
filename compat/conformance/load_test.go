package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCaseFiles(t *testing.T) {
	empty := t.TempDir()
	full := t.TempDir()
	writeFile(t, filepath.Join(full, "a.json"), "[]")
	tests := map[string]struct {
		dir   string
		count int
		err   string
	}{
		"a folder":                       {dir: full, count: 1},
		"from the root of the module":    {dir: "compat/conformance/testdata", count: 11},
		"from here":                      {dir: "testdata", count: 11},
		"a folder that does not exist":   {dir: filepath.Join(empty, "none"), err: "no such file"},
		"a folder that has no case file": {dir: empty, err: "no *.json"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			files, err := caseFiles(test.dir)
			if test.err == "" && (err != nil || len(files) != test.count) {
				t.Errorf("want %d files, got %d: %v", test.count, len(files), err)
			}
			if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("want an error that says %q, got %v", test.err, err)
			}
		})
	}
}

func TestLoadFile(t *testing.T) {
	good := wrap(`{"do": "read", "want": {}}`)
	tests := map[string]struct {
		text string
		// errs are what the cases fail with, "" for none; nil means that the file is refused.
		errs []string
	}{
		"two cases":             {"[" + good + "," + strings.Replace(good, `"n"`, `"m"`, 1) + "]", []string{"", ""}},
		"a bad case and a good": {`[{"name": "x"},` + good + "]", []string{"required", ""}},
		"two of the same name":  {"[" + good + "," + good + "]", []string{"", "two cases"}},
		"no list":               {good, nil},
		"an empty list":         {"[]", nil},
		"more than a list":      {"[" + good + "] []", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cases.json")
			writeFile(t, file, test.text)
			cases, err := loadFile(file)
			if (err != nil) != (test.errs == nil) || len(cases) != len(test.errs) {
				t.Fatalf("want %d cases, got %d: %v", len(test.errs), len(cases), err)
			}
			for i, want := range test.errs {
				if got := cases[i].err; (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
					t.Errorf("case %d: want %q, got %v", i+1, want, got)
				}
			}
		})
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
