package conformance

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// directory names the environment variable of the folder whose cases run instead of our own.
const directory = "CONFORMANCE_DIR"

// virtual is the clock of a synctest bubble.
var virtual = clock{sleep: time.Sleep, settle: synctest.Wait}

// TestConformance runs every case through azcosmos and the policies.
func TestConformance(t *testing.T) {
	files, err := caseFiles(os.Getenv(directory))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			for _, loaded := range loadCases(t, file) {
				t.Run(loaded.name, func(t *testing.T) {
					if loaded.err != nil {
						t.Fatalf("%s: %s: %v", file, loaded.name, loaded.err)
					}
					if err := runInBubble(t, loaded.spec, everything); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}

// runInBubble runs a case in a bubble of its own.
func runInBubble(t *testing.T, spec *caseSpec, stack stack) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		err = runCase(t.Context(), spec, stack, virtual)
	})
	return err
}

// loadCases reads a file that has cases.
func loadCases(t *testing.T, file string) []loadedCase {
	t.Helper()
	cases, err := loadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}
