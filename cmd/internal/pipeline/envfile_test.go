package pipeline

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestVariable(t *testing.T) {
	for line, want := range map[string]string{
		"":                "",
		"   ":             "",
		"# A=b":           "",
		"  # A=b":         "",
		"A=b":             "A=b",
		"  A=b ":          "A=b ",
		"A=":              "A=",
		"A=b=c # d":       "A=b=c # d",
		`A="b c"`:         "A=b c",
		`A=""`:            "A=",
		`A=""b""`:         `A="b"`,
		`A='b'`:           "A='b'",
		`A=b"c"`:          `A=b"c"`,
		"A":               "error",
		"=b":              "error",
		"A =b":            "error",
		"export A=s3cr3t": "error",
		`A="s3cr3t`:       "error",
		`A="`:             "error",
		`A="s3cr3t" # b`:  "error",
		"A B=s3cr3t":      "error",
		"A_*=s3cr3t":      "error",
		"A=s3cr3t\x00":    "error",
	} {
		got, err := variable(line)
		if (err != nil) != (want == "error") || err == nil && got != want {
			t.Errorf("%q: got %q, %v, want %q", line, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: the error tells the value: %v", line, err)
		}
	}
}

// A link that a server could have made would put another file's secrets into the server's environment.
func TestEnvFileBehindLink(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no confinement of this system keeps a server from the user's files")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"grant/sub", "secret", "own"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"grant/.env", "secret/.env", "own/.env"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("A=b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"grant/file":   "../secret/.env",
		"grant/inner":  ".env",
		"grant/folder": "../secret",
		"own/file":     "../secret/.env",
		"own/sub":      "../grant/folder",
		"own/grant":    dir + "/grant",
		"loop":         "loop",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for file, refused := range map[string]bool{
		"grant/.env":         false,
		"own/.env":           false,
		"own/file":           false,
		"own/grant/.env":     false,
		"grant/sub/../.env":  false,
		"grant/file":         true,
		"grant/inner":        true,
		"grant/folder/.env":  true,
		"own/sub/.env":       true,
		"own/grant/file":     true,
		"grant/sub/../inner": true,
	} {
		l := New(cli.NewFlags())
		if err := l.readEnvFile(dir + "/" + file); err != nil {
			t.Fatal(err)
		}
		e := l.files
		if err := e.check(&policy.Filesystem{AllowWrite: []string{dir + "/grant"}}); (err != nil) != refused {
			t.Errorf("%s: %v, want an error: %v", file, err, refused)
		}
		if err := e.check(&policy.Filesystem{}); err != nil {
			t.Errorf("%s, without a write grant: %v", file, err)
		}
	}
	if end, link := follow(dir+"/loop", nil); link == "" {
		t.Errorf("a loop of links leads to %s", end)
	}
}
