package wrapping

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// newProject is a project whose files all hosts read, by what they are called there.
func newProject(t *testing.T, files map[string]string) *shop {
	s := newShop(t, "linux")
	s.Hosts = nil
	for i := range mcphosts.All() {
		s.Hosts = append(s.Hosts, &mcphosts.All()[i])
	}
	t.Setenv("HOME", s.top)
	t.Setenv("XDG_STATE_HOME", filepath.Join(s.top, "state"))
	for path, text := range files {
		s.put(t, filepath.Join(s.project, path), 0o644)
		if err := os.WriteFile(filepath.Join(s.project, path), []byte(text), 0); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// One file that two hosts read has the servers of both.
func TestFileOfTwoHosts(t *testing.T) {
	d := newProject(t, map[string]string{".mcp.json": `{"mcpServers":{"a":{"command":"x"}},"servers":{"b":{"command":"y"}}}`})
	for _, path := range []string{".vscode/mcp.json", ".cursor/mcp.json", ".roo/mcp.json"} {
		path = filepath.Join(d.project, path)
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.Symlink("../.mcp.json", path)); err != nil {
			t.Fatal(err)
		}
	}
	files, problems := d.Files()
	count := map[string]int{}
	for _, f := range files {
		for _, e := range f.Entries() {
			count[e.Name]++
		}
	}
	if len(problems) > 0 || len(files) != 2 || count["a"] != 1 || count["b"] != 1 {
		t.Errorf("%v, %v", count, problems)
	}
}

// Servers of one name in two files of one host have two policies.
func TestTwoFilesOfAHost(t *testing.T) {
	const text = `{"mcp":{"s":{"command":["/usr/bin/true"]}}}`
	d := newProject(t, map[string]string{"opencode.json": text, ".opencode/opencode.json": text})
	files, problems := d.Files()
	if len(files) != 2 || len(problems) > 0 {
		t.Fatalf("%d files, %v", len(files), problems)
	}
	all := d.Plan(files, Choice{Level: policy.Standard})
	if len(all) != 2 || all[0].Policy == all[1].Policy {
		t.Fatalf("both have %q: %+v", all[0].Policy, all[0])
	}
	for i, e := range all {
		if _, err := files[i].Change([]*Entry{e}); err != nil {
			t.Error(err)
		}
	}
}
