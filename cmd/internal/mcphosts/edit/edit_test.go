package edit

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

var update = flag.Bool("update", false, "write the goldens")

const (
	program = "/usr/bin/mcp-sandbox"
	folder  = "/home/ann/.config/mcp-sandbox/policies/"
)

func ours(policy string) bool { return strings.HasPrefix(policy, folder) }

func open(t *testing.T, file []byte, form mcphosts.Form) *Document {
	t.Helper()
	d, err := Open(file, form, ours)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// all are the changes that wrap every plain server, or unwrap every wrapped one.
func all(d *Document, program string) (changes []Change) {
	for i, s := range d.Servers() {
		c := Change{Server: i, Program: program, Policy: folder + "host/" + s.Name + ".json"}
		if program == "" {
			c.Policy = ""
		}
		if s.State != Cannot {
			changes = append(changes, c)
		}
	}
	return changes
}

func rewrite(t *testing.T, d *Document, program string) []byte {
	t.Helper()
	after, err := d.Rewrite(all(d, program))
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// round wraps, wraps again, and unwraps.
func round(t *testing.T, file []byte, form mcphosts.Form) []byte {
	t.Helper()
	was := bytes.Clone(file)
	wrapped := rewrite(t, open(t, file, form), program)
	d := open(t, wrapped, form)
	for _, s := range d.Servers() {
		if s.State == Plain {
			t.Errorf("%s is still plain", s.Name)
		}
	}
	if again := rewrite(t, d, program); !bytes.Equal(again, wrapped) {
		t.Errorf("wrapped again:\n%s", again)
	}
	if back := rewrite(t, d, ""); !bytes.Equal(back, was) {
		t.Errorf("unwrapped:\n%q, was\n%q", back, was)
	}
	if !bytes.Equal(file, was) {
		t.Errorf("the argument was changed:\n%q", file)
	}
	return wrapped
}

// A file of testdata is named for the host and what is special: vscode.2.settings.in; a number says which of the host's
// files is meant, if not the first.
func TestGoldens(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.in")
	seen := map[string]bool{}
	for _, name := range names {
		host, rest, _ := strings.Cut(filepath.Base(name), ".")
		t.Run(strings.TrimSuffix(filepath.Base(name), ".in"), func(t *testing.T) {
			seen[host] = true
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			h := mcphosts.ByName(host)
			form := h.Files[0].Form
			if len(rest) > 3 && rest[0] >= '0' && rest[0] <= '9' { // not its first file
				form = h.Files[rest[0]-'0'].Form
			}
			got := round(t, file, form)
			for _, s := range open(t, got, form).Servers() {
				if s.State == Cannot {
					got = append(got, s.Name+": "+s.Reason+"\n"...)
				}
			}
			golden := strings.TrimSuffix(name, ".in") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, _ := os.ReadFile(golden); !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	for _, h := range mcphosts.All() {
		if !seen[h.Name] {
			t.Errorf("%s has no golden", h.Name)
		}
	}
}
