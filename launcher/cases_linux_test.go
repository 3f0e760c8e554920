package launcher_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A session is one server with the grants that it needs and no others: TestEachGrantIsNeeded takes them away.
type session struct {
	subject
	words       []string // the command
	read, write []string
	implied     []string // what the launcher shows of itself
	subprocess  policy.Bool
}

// sessions are the main job's servers. Their commands are found by the subtests, which may skip.
func sessions(t *testing.T) []*session {
	dir := testbed.Folder(t)
	var all []*session
	for _, s := range subjects(t, dir) {
		one := &session{subject: s}
		switch s.Name {
		case "server-go", "server-filesystem":
			one.write = []string{dir}
		}
		all = append(all, one)
	}
	return all
}

// shortly are the sessions, without the long forms of the suite but server-everything's: TestGoHost and TestLanguages
// have that with both hosts, and its grant is server-filesystem's.
func shortly(t *testing.T) []*session {
	return slices.DeleteFunc(sessions(t), func(s *session) bool { return testing.Short() && s.Name == "server-everything" })
}

// find finds the server on this machine. An npm server is read from its node_modules; a program that no base folder
// holds is implied by being the command.
func (s *session) find(t *testing.T) {
	t.Helper()
	if s.words != nil {
		return
	}
	s.words = s.Command(t)
	if s.Name != "server-go" {
		s.read = []string{testbed.Modules(t)}
	}
	s.implied = implied(t, s.words[0])
}

// implied is what the launcher has to show for a command that is no script and lies in no installation.
func implied(t *testing.T, command string) []string {
	t.Helper()
	path, err := filepath.EvalSymlinks(command)
	if err != nil {
		t.Fatal(err)
	}
	for _, visible := range []string{"/usr/", "/bin/", "/nix/store/", "/gnu/store/"} {
		if len(path) > len(visible) && path[:len(visible)] == visible {
			return nil
		}
	}
	return []string{path}
}

// document is the policy of a session as a host writes it.
func (s *session) document(t *testing.T) []byte {
	t.Helper()
	type filesystem struct {
		AllowRead  []string `json:"allowRead,omitempty"`
		AllowWrite []string `json:"allowWrite,omitempty"`
	}
	b, err := json.Marshal(struct {
		Version    int        `json:"version"`
		Filesystem filesystem `json:"filesystem"`
	}{1, filesystem{s.read, s.write}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (s *session) policy(t *testing.T) policy.Policy {
	t.Helper()
	p, err := policy.Parse(s.document(t))
	if err != nil {
		t.Fatal(err)
	}
	p.Subprocess.Allow = s.subprocess
	return p
}

// file writes the document where a host's configuration would have it.
func (s *session) file(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, s.document(t), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkReport demands full confinement, every layer in its place and proved or off, with nothing implied but what the
// command needs. Only the cgroup may be absent: not every machine delegates one.
func (s *session) checkReport(t *testing.T, r *order.Enforced) {
	t.Helper()
	if r.Confinement != "full" || r.Level != "standard" || r.PID <= 1 || !slices.Equal(r.Command, s.words) {
		t.Errorf("confinement %q, level %q, pid %d, command %q", r.Confinement, r.Level, r.PID, r.Command)
	}
	names := order.Layers()
	if len(r.Layers) != len(names) {
		t.Fatalf("%d layers, want %d", len(r.Layers), len(names))
	}
	for i, l := range r.Layers {
		absent := l.Layer == order.Cgroup && l.State == order.Absent && l.Reason != "" && l.Effect != ""
		if l.Layer != names[i] || l.State != order.Proved && l.State != order.Off && !absent {
			t.Errorf("layer %d is %s %s: %s; want %s proved", i, l.Layer, l.State, l.Reason, names[i])
		}
		if l.State == order.Proved && len(l.Facts) == 0 {
			t.Errorf("%s is proved by nothing", l.Layer)
		}
	}
	if !slices.Equal(r.ImpliedGrants, s.implied) {
		t.Errorf("implied grants %q, want %q", r.ImpliedGrants, s.implied)
	}
}
