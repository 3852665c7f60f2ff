package compat_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// known maps the package names that README code may use to their import paths.
var known = map[string]string{
	"azcore":      "github.com/Azure/azure-sdk-for-go/sdk/azcore",
	"policy":      "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy",
	"azcosmos":    "github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos",
	"compat":      "github.com/cosmosretry/cosmosretry/compat",
	"cosmostest":  "github.com/cosmosretry/cosmosretry/compat/cosmostest",
	"debug":       "github.com/cosmosretry/cosmosretry/policies/debug",
	"logging":     "github.com/cosmosretry/cosmosretry/policies/logging",
	"policies":    "github.com/cosmosretry/cosmosretry/policies",
	"failover":    "github.com/cosmosretry/cosmosretry/policies/failover",
	"session":     "github.com/cosmosretry/cosmosretry/policies/session",
	"throttle":    "github.com/cosmosretry/cosmosretry/policies/throttle",
	"regioncache": "github.com/cosmosretry/cosmosretry/regioncache",
	"context":     "context",
	"errors":      "errors",
	"fmt":         "fmt",
	"log":         "log",
	"net":         "net",
	"http":        "net/http",
	"os":          "os",
	"slog":        "log/slog",
	"testing":     "testing",
	"time":        "time",
}

// TestREADMECodeCompiles builds every Go block of the README against this
// module. A block is a whole file or the body of a function in which ctx,
// endpoint, cred, options, container and err exist.
func TestREADMECodeCompiles(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no Go code")
	}
	dir := readmeModule(t)
	for i, block := range blocks {
		sub := filepath.Join(dir, fmt.Sprintf("block%d", i+1))
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		name := "block.go"
		if strings.Contains(string(block[1]), "*testing.T") {
			name = "block_test.go"
		}
		if err := os.WriteFile(filepath.Join(sub, name), []byte(file(string(block[1]))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// readmeModule makes a module like a user's, which replaces this one by its folder.
func readmeModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	mod = bytes.Replace(mod, []byte("module github.com/cosmosretry/cosmosretry"), []byte("module readme"), 1)
	mod = fmt.Appendf(mod, "\nrequire github.com/cosmosretry/cosmosretry v0.0.0\n\nreplace github.com/cosmosretry/cosmosretry => %s\n", root)
	dir := t.TempDir()
	for name, content := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// file completes a block to a file: with its imports and, for statements, a
// function around them that uses what they declare.
func file(block string) string {
	if strings.HasPrefix(block, "package ") {
		return block
	}
	var imports []string
	for name, path := range known {
		if regexp.MustCompile(`\b`+name+`\.`).MatchString(block) || !isFunc(block) && slices.Contains([]string{"context", "azcosmos"}, name) {
			imports = append(imports, fmt.Sprintf("import %q\n", path))
		}
	}
	slices.Sort(imports)
	head := "package readme\n" + strings.Join(imports, "")
	if isFunc(block) {
		return head + block
	}
	var used strings.Builder
	for _, m := range regexp.MustCompile(`(?m)^(\w+(?:, \w+)*) :=`).FindAllStringSubmatch(block, -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			if name != "_" {
				used.WriteString("_ = " + name + "\n")
			}
		}
	}
	return head + `func block(ctx context.Context, endpoint string, cred azcosmos.KeyCredential, options *azcosmos.ClientOptions, container *azcosmos.ContainerClient, err error) error {
` + block + used.String() + "return err\n}\n"
}

func isFunc(block string) bool { return regexp.MustCompile(`(?m)^func `).MatchString(block) }
