package conformance

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// TestBareAzcosmosFailsWhatThePoliciesSave runs the cases of the specification without any policy. A case that azcosmos
// passes alone says nothing about the policies; how many there are is known, which makes this a check of the runner too.
func TestBareAzcosmosFailsWhatThePoliciesSave(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var total int
	var passed []string
	for _, file := range files {
		for _, loaded := range loadCases(t, file) {
			if loaded.err != nil {
				t.Fatalf("%s: %s: %v", file, loaded.name, loaded.err)
			}
			total++
			if runInBubble(t, loaded.spec, bare) == nil {
				passed = append(passed, loaded.name)
			}
		}
	}
	version := azcosmosVersion(t)
	t.Logf("azcosmos %s alone passes %d of %d cases: %q", version, len(passed), total, passed)
	if want, known := map[string]int{"v1.4.1": 12, "v1.5.0-beta.7": 45}[version]; known && len(passed) != want {
		t.Errorf("azcosmos %s alone is known to pass %d cases, got %d", version, want, len(passed))
	}
}

// azcosmosVersion is the version of azcosmos that this test is built with, as azcosmos itself tells the service.
func azcosmosVersion(t *testing.T) (version string) {
	t.Helper()
	spec, err := parseCase([]byte(wrap(`{"do": "read", "want": {}}`)))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		r, err := newRunner(spec, bare, virtual)
		if err != nil {
			t.Fatal(err)
		}
		result, err := r.run(t.Context(), &spec.Steps[0])
		if err != nil || len(result.requests) == 0 {
			t.Fatalf("%d requests, error %v", len(result.requests), err)
		}
		agent := result.requests[0].Header.Get("User-Agent")
		_, version, _ = strings.Cut(agent, "azcosmos/")
		version, _, _ = strings.Cut(version, " ")
	})
	if version == "" {
		t.Fatal("the user agent does not tell the version of azcosmos")
	}
	return version
}
