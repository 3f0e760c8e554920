package files_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/why/files"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// house is a folder with a home in it.
type house struct {
	testing.TB
	root string
}

func newHouse(t *testing.T) *house {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(`home/.ssh/id_ed25519 home/.aws/credentials home/.bashrc home/.bash_history home/notes/n
		home/.config/mcp-sandbox/policies/p home/.local/bin/tool p/.env p/.git/config p/src/main.c p/key.pem p/key.pub p/.mcp.json q/f`) {
		path = root + "/" + path
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", root+"/home/.local/bin:/usr/bin:/bin")
	return &house{t, root}
}

// launch plans a policy, as the user that runs this test.
func (h *house) launch(p policy.Policy) (*files.Launch, error) {
	p, err := p.Absolute("/", h.root+"/home")
	if err == nil {
		err = p.Validate()
	}
	if err != nil {
		return nil, err
	}
	p = p.Effective(policy.Run)
	e, err := fsview.Explain(fsview.Request{Policy: p, Command: []string{"/bin/true"}, Env: []string{"HOME=" + h.root + "/home"},
		Dir: "/", Identity: fsview.Identity{UID: os.Getuid(), GID: os.Getgid()}})
	if err != nil {
		return nil, err
	}
	return &files.Launch{Plan: e, Policy: p, Landlock: true, Replan: h.launch}, nil
}

func (h *house) ask(p policy.Policy, op order.Op, path string) order.Answer {
	h.Helper()
	l, err := h.launch(p)
	if err != nil {
		h.Fatal(err)
	}
	return files.Ask(l, order.Question{Path: strings.Replace(path, "T", h.root, 1), Op: op})
}

func (h *house) at(list string) (all []string) {
	for _, path := range strings.Fields(list) {
		all = append(all, strings.Replace(path, "T", h.root, 1))
	}
	return all
}

// What a change opens is said, and what hurts most first.
func TestOpens(t *testing.T) {
	h := newHouse(t)
	for _, c := range []struct {
		read, write, denied string
		level               policy.Level
		single              bool // no other program than its own
		op                  order.Op
		path                string
		flags               string
		opens               []string // parts of the first sentences, in their order
	}{
		{op: order.OpRead, path: "T/q/f", flags: "--allow-read T/q/f"},
		{op: order.OpRead, path: "T/q", flags: "--allow-read T/q", opens: []string{"can read all of T/q"}},
		{op: order.OpRead, path: "T/home", flags: "--allow-read T/home",
			opens: []string{"can read the whole home T/home", "T/home/.aws: keys of AWS", "T/home/.bash_history", "T/home/.ssh: SSH keys", "all of T/home"}},
		{op: order.OpRead, path: "T", flags: "--allow-read T", opens: []string{"the whole home T/home"}},
		{op: order.OpRead, path: "T/home/.ssh", flags: "--allow-read T/home/.ssh", opens: []string{"T/home/.ssh/id_ed25519", "T/home/.ssh: SSH keys"}},
		{op: order.OpRead, path: "T/home/.aws/credentials", flags: "--allow-read T/home/.aws/credentials", opens: []string{"lies among keys of AWS"}},
		{op: order.OpRead, path: "T/home/.config/mcp-sandbox", flags: "--allow-read T/home/.config/mcp-sandbox", opens: []string{"a folder of mcp-sandbox itself"}},
		{read: "T/home", op: order.OpRead, path: "T/home/.config/mcp-sandbox/policies/p", flags: "--allow-read T/home/.config/mcp-sandbox/policies/p",
			opens: []string{"is of mcp-sandbox itself"}},
		{op: order.OpRead, path: "T/p", flags: "--allow-read T/p", opens: []string{"T/p/.env, which by its name", "T/p/key.pem, which", "all of T/p"}},
		{op: order.OpWrite, path: "T/p/src/new", flags: "--allow-write T/p/src", opens: []string{"can make T/p/src/.", "can write all of T/p/src"}},
		{op: order.OpWrite, path: "T/home/.local/bin/tool", flags: "--allow-write T/home/.local/bin/tool",
			opens: []string{"T/home/.local/bin/tool, which your shell finds"}},
		{op: order.OpWrite, path: "T/home/.local/bin", flags: "--allow-write T/home/.local/bin", opens: []string{"where your shell looks for programs"}},
		{write: "T/p", op: order.OpWrite, path: "T/p/.git/config", flags: "--allow-write T/p/.git/config", opens: []string{"hooks and configuration"}},
		{read: "T/home", denied: "T/home/.ssh", op: order.OpRead, path: "T/home/.ssh", opens: []string{"id_ed25519", "SSH keys"}},
		{write: "T/p", level: policy.Strict, op: order.OpWrite, path: "T/p/src/main.c", flags: "--level standard", opens: []string{"every allowWrite can be written"}},
		{single: true, op: order.OpExec, path: "/usr/bin/env", flags: "--subprocess=true", opens: []string{"can start every program that it sees"}},
	} {
		p := policy.Policy{Filesystem: policy.Filesystem{AllowRead: h.at(c.read), AllowWrite: h.at(c.write), DenyRead: h.at(c.denied)}, Level: c.level}
		if c.single {
			p.Subprocess.Allow = policy.No
		}
		a := h.ask(p, c.op, c.path)
		if a.Allowed != order.ActDenied || a.Reason != order.ByPolicy || a.Patch == nil {
			t.Errorf("%s %s: %+v", c.op, c.path, a)
		}
		if want := h.at(c.flags); !slices.Equal(a.Flags, want) {
			t.Errorf("%s %s: flags %q, want %q", c.op, c.path, a.Flags, want)
		}
		if len(c.opens) == 0 && len(a.Opens) > 0 {
			t.Errorf("%s %s opens %q", c.op, c.path, a.Opens)
		}
		for i, part := range c.opens {
			part = strings.ReplaceAll(part, "T/", h.root+"/")
			if i < len(a.Opens) && strings.Contains(a.Opens[i], part) {
				continue
			}
			if i != len(c.opens)-1 || !slices.ContainsFunc(a.Opens, func(s string) bool { return strings.Contains(s, part) }) {
				t.Errorf("%s %s opens %q, want %q there", c.op, c.path, a.Opens, part)
			}
		}
	}
}

// What a link leads to that an earlier server may have made is suggested only where a launch would offer that too.
func TestSuggestionBehindLink(t *testing.T) {
	h := newHouse(t)
	for name, to := range map[string]string{"conf": "home/.config", "other": "q"} {
		if err := os.Symlink(h.root+"/"+to, h.root+"/p/"+name); err != nil {
			t.Fatal(err)
		}
	}
	p := policy.Policy{Filesystem: policy.Filesystem{AllowWrite: h.at("T/p")}}
	for _, path := range []string{"T/p/conf", "T/p/conf/../.config"} {
		if a := h.ask(p, order.OpRead, path); a.Allowed != order.ActDenied || a.Flags != nil || a.Patch != nil {
			t.Errorf("settings by %s: %+v", path, a)
		}
	}
	if a := h.ask(p, order.OpRead, "T/p/other"); !slices.Equal(a.Flags, h.at("--allow-read T/q")) {
		t.Errorf("control: %+v", a)
	}
}

// Where the planner refuses every change there is no suggestion, and the planner's reason is told.
func TestNoSuggestion(t *testing.T) {
	h := newHouse(t)
	for _, c := range []struct {
		write string
		op    order.Op
		path  string
		text  string
	}{
		{op: order.OpWrite, path: "T/home/.bashrc", text: "runs code outside of the sandbox"},
		{write: "T/p", op: order.OpWrite, path: "T/p/.mcp.json", text: "runs code outside of the sandbox"},
		{op: order.OpRead, path: "/", text: "no launch would grant it: \"/\" is the whole file system"},
		{op: order.OpRead, path: "/proc/self", text: "no launch would grant it: \"/proc/self\" cannot be granted"},
		{op: order.OpWrite, path: "T/home/.config/mcp-sandbox/policies/p", text: "runs code outside of the sandbox"},
	} {
		a := h.ask(policy.Policy{Filesystem: policy.Filesystem{AllowWrite: h.at(c.write)}}, c.op, c.path)
		if a.Allowed != order.ActDenied || a.Reason != order.ByPolicy || a.Flags != nil || a.Patch != nil || a.Opens != nil {
			t.Errorf("%s %s: %+v", c.op, c.path, a)
		}
		if !strings.Contains(a.Text, c.text) {
			t.Errorf("%s %s: %s", c.op, c.path, a.Text)
		}
	}
}

// A link that a server can have made is not followed to what is not granted: what the link leads to is suggested by its
// own path.
func TestSuggestedLink(t *testing.T) {
	h := newHouse(t)
	if err := os.Symlink("../q/f", h.root+"/p/link"); err != nil {
		t.Fatal(err)
	}
	a := h.ask(policy.Policy{Filesystem: policy.Filesystem{AllowWrite: h.at("T/p")}}, order.OpRead, "T/p/link")
	if want := h.at("--allow-read T/q/f"); !slices.Equal(a.Flags, want) {
		t.Errorf("%+v", a)
	}
	a = h.ask(policy.Policy{}, order.OpRead, "T/p/link")
	if want := h.at("--allow-read T/p/link"); !slices.Equal(a.Flags, want) {
		t.Errorf("%+v", a)
	}
}

// A path through folders that the server does not have is told by its own name.
func TestPathThroughMissingFolders(t *testing.T) {
	h := newHouse(t)
	a := h.ask(policy.Policy{}, order.OpRead, "T/q/../p/src/main.c")
	if a.Patch != nil || !strings.HasSuffix(a.Text, ": ask about "+h.root+"/p/src/main.c") {
		t.Errorf("%+v", a)
	}
	if a = h.ask(policy.Policy{}, order.OpRead, "T/q/../q/f"); strings.Contains(a.Text, "ask about") != (a.Patch == nil) {
		t.Errorf("%+v", a)
	}
}

// What no file can be named is missing, whatever is asked: no permission refuses it.
func TestTooLong(t *testing.T) {
	h := newHouse(t)
	for _, path := range []string{"T/" + strings.Repeat("n", 256), "T" + strings.Repeat("/n", 2100),
		"T/" + strings.Repeat("n", 256) + "/x"} {
		for _, op := range []order.Op{order.OpRead, order.OpWrite, order.OpExec} {
			if a := h.ask(policy.Policy{}, op, path); a.Reason != order.ByMissing {
				t.Errorf("%s of %d bytes: %s", op, len(path), a.Reason)
			}
		}
	}
	if a := h.ask(policy.Policy{}, order.OpRead, "T/"+strings.Repeat("n", 255)); a.Reason != order.ByMissing {
		t.Errorf("the longest name: %s", a.Reason)
	}
}
