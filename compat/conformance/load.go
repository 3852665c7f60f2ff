package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// loadedCase is a case, or why it cannot be read.
type loadedCase struct {
	name string
	spec *caseSpec
	err  error
}

// loadFile reads the cases of one file. A case that cannot be read fails alone, a file that is no list of cases as a whole.
func loadFile(path string) ([]loadedCase, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(data, &raws); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(raws) == 0 {
		return nil, fmt.Errorf("%s holds no case", path)
	}
	cases := make([]loadedCase, len(raws))
	seen := map[string]bool{}
	for i, raw := range raws {
		loaded := &cases[i]
		loaded.spec, loaded.err = parseCase(raw)
		loaded.name = fmt.Sprintf("case %d", i+1)
		if loaded.err == nil {
			loaded.name = loaded.spec.Name
		}
		if seen[loaded.name] && loaded.err == nil {
			loaded.err = fmt.Errorf("two cases of this file are called %q", loaded.name)
		}
		seen[loaded.name] = true
	}
	return cases, nil
}

// caseFiles lists the files to run: those of dir when it is given, else our copy of the spec's and our own. A relative dir
// is looked for from the root of the module, where go test is usually run from, then from here.
func caseFiles(dir string) ([]string, error) {
	if dir == "" {
		return globAll("testdata", filepath.Join("testdata", "own"))
	}
	if filepath.IsAbs(dir) {
		return globAll(dir)
	}
	fromRoot := filepath.Join("..", "..", dir)
	if _, err := os.Stat(fromRoot); err == nil {
		return globAll(fromRoot)
	}
	return globAll(dir)
}

// globAll lists the JSON files of the folders, each of which has some.
func globAll(dirs ...string) ([]string, error) {
	var files []string
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		found, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s holds no *.json", dir)
		}
		files = append(files, found...)
	}
	return files, nil
}
