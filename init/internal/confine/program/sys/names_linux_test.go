package sys

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
)

// A report names the call that went wrong: each call of this package has the name of its constant in the seccomp
// tables. Rows make no call by its number.
func TestNames(t *testing.T) {
	files, err := filepath.Glob("*_linux.go")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	seen := 0
	for _, file := range files {
		for _, name := range numbers(t, file) {
			seen++
			want := strings.ToLower(name)
			if n, ok := seccomp.Number(want); !ok || n == seccomp.NoNumber || seccomp.Name(n) != want {
				t.Errorf("%s: SYS_%s is %d, %v, which is called %s", file, name, n, ok, seccomp.Name(n))
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d calls found", seen)
	}
	rows, err := filepath.Glob("../../layers/*.go")
	if err != nil || len(rows) == 0 {
		t.Fatalf("no rows: %v", err)
	}
	for _, file := range rows {
		for _, name := range numbers(t, file) {
			asked := name == "KEYCTL" || name == "LANDLOCK_CREATE_RULESET" // whether a filter kills who makes it
			if !strings.HasSuffix(file, "_test.go") && !asked {
				t.Errorf("%s: SYS_%s has to be made by a constructor of this package", file, name)
			}
		}
	}
}

func numbers(t *testing.T, file string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\bunix\.SYS_(\w+)`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return names
}
