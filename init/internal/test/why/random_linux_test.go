package why_test

import (
	"encoding/json"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// world is a tree with files of every kind, and the home of a launcher's user.
type world struct{ root, home, server string }

func (w *world) trial(t *testing.T, policy, begin string, acts []act, rows *int) *trial {
	return &trial{TB: t, Launch: host.Launch{Policy: policy, Begin: begin, Run: true, Command: []string{w.server, serverName}}, acts: acts, rows: rows}
}

const (
	script = "#!/bin/sh\nexit 7\n"
	plain  = "x\n"
)

func newWorld(t *testing.T) *world {
	root, err := filepath.EvalSymlinks(testbed.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{root: root, home: root + "/home", server: testbed.Copy(t, 0o755)}
	if w.server, err = filepath.EvalSymlinks(w.server); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{
		"a/f": plain, "a/b/c/d/e": plain, "a/b/g": plain, "a/.git/config": plain, "a/.git/HEAD": plain, "a/b/.vscode/tasks.json": plain,
		"a/x/y": plain, "a/run": script, "a/x/run": script, "a/x/odd": "#!T/q/sh\n", "q/sh": script, "q/f": plain, "home/.bashrc": plain,
		"home/.ssh/id_rsa": plain, "home/notes/n": plain, "home/.config/mcp-sandbox/policies/p": plain, "a/closed": plain, "a/locked/f": plain,
		"a/readonly": plain, "a/five": "#!T/a/four\n", "a/four": "#!T/a/three\n", "a/three": "#!T/a/two\n", "a/two": "#!T/a/x/run\n",
		"a/six": "#!T/a/five\n", "a/self": "#!T/a/self\n", "a/near": "#!run\n",
	} {
		path = root + "/" + path
		must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		mode := os.FileMode(0o666)
		if strings.HasPrefix(content, "#!") {
			mode = 0o777
		}
		must(t, os.WriteFile(path, []byte(strings.ReplaceAll(content, "T", root)), mode))
		must(t, os.Chmod(path, mode))
		for dir := filepath.Dir(path); dir != root; dir = filepath.Dir(dir) {
			must(t, os.Chmod(dir, 0o777))
		}
	}
	for at, to := range map[string]string{
		"a/link": "b/c", "a/out": "../q/f", "a/up": root + "/q", "l": "a/x", "l2": "l", "a/loop": "loop", "a/gone": "nothing", "a/proc": "/proc/self/status",
		"home/n": "notes", "a/slash": "f/",
	} {
		must(t, os.Symlink(to, root+"/"+at))
	}
	must(t, os.Chmod(root+"/a/closed", 0))
	must(t, os.Chmod(root+"/a/readonly", 0o444))
	must(t, unix.Mkfifo(root+"/a/x/pipe", 0o666))
	must(t, os.Chmod(root+"/a/x/pipe", 0o666))
	for _, at := range []string{"/a/x/s", "/q/s", "/a/locked/s"} {
		l, err := net.Listen("unix", root+at)
		must(t, err)
		must(t, os.Chmod(root+at, 0o777))
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c.Close()
			}
		}()
	}
	must(t, os.Chmod(root+"/a/locked", 0))
	t.Cleanup(func() { os.Chmod(root+"/a/locked", 0o777) })
	t.Setenv("HOME", w.home)
	t.Setenv("PATH", "/usr/bin:/bin")
	states := filepath.Join(testbed.Scratch(t), "states") // nobody else may write above a state
	must(t, os.MkdirAll(states, 0o755))
	t.Setenv("XDG_STATE_HOME", states)
	for _, name := range []string{"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, "")
	}
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// places are those that random policies name.
var places = strings.Fields(`T/a T/a/b T/a/b/c T/a/b/c/d T/a/b/c/d/e T/a/x T/a/x/y T/a/link T/l T/l2/y T/a/f T/a/.git T/a/b/.vscode T/a/out
	T/a/up T/q T/q/f T/a/run T/home T/home/notes T/home/.ssh T -T/none T/a/closed T/a/locked T/a/x/odd T/q/sh`)

// asked are the paths of the questions.
var asked = strings.Fields(`T/a T/a/b T/a/b/c T/a/b/c/d/e T/a/b/c/new T/a/b/g T/a/x/y T/a/x/new T/a/link/d/e T/l/y T/l2/y T/a/f T/a/f/no T/a/none/no T/a/.git
	T/a/.git/config T/a/.git/new T/a/b/.vscode/tasks.json T/a/out T/a/up/f T/q/f T/a/run T/a/x/run T/a/x/odd T/q/sh T/home T/home/.bashrc T/home/n/n
	T/home/notes/n T/home/.ssh/id_rsa T/home/new T/home/.config/mcp-sandbox/policies/p T/a/closed T/a/locked T/a/locked/f T/a/readonly T/a/loop
	T/a/gone T/a/proc T/a/f/ T/a/slash T/a/x/../f T/a/link/../g T/a/x/pipe T/a/x/s T/new T
	/ /tmp /tmp/none /etc /etc/passwd /etc/hosts /etc/ssl /etc/hostname /usr /usr/bin/env /bin/sh /proc /proc/self/status /proc/none /sys /sys/kernel /dev
	/dev/null /dev/none /dev/ptmx /dev/shm /dev/shm/none /run /var /var/tmp /root /home /boot /opt /nothing /nothing/at/all`)

func (w *world) at(path string) string { return strings.Replace(path, "T", w.root, 1) }

// acts are all questions about a world.
func (w *world) acts() (all []act) {
	for _, path := range asked {
		for _, op := range []order.Op{order.OpRead, order.OpWrite, order.OpExec} {
			all = append(all, act{Path: w.at(path), Op: op})
		}
	}
	for _, path := range []string{"T/a/x/s", "T/q/s", "T/l/s", "T/a/up/s", "T/a/f", "T/none"} {
		all = append(all, act{Path: w.at(path), Socket: true})
	}
	return all
}

// document is a random policy.
func (w *world) document(r *rand.Rand) string {
	fs := map[string]any{}
	for i := range 1 + r.IntN(6) {
		key := []string{"allowRead", "allowWrite", "denyRead", "denyWrite"}[r.IntN(4)]
		if i == 0 {
			key = []string{"allowRead", "allowWrite"}[r.IntN(2)]
		}
		list, _ := fs[key].([]string)
		fs[key] = append(list, w.at(places[r.IntN(len(places))]))
	}
	if r.IntN(6) == 0 {
		fs["default"] = "read"
	}
	doc := map[string]any{"version": 1, "filesystem": fs}
	switch r.IntN(8) {
	case 0:
		doc["level"] = "strict"
		doc["subprocess"] = map[string]any{"allow": true}
	case 1:
		doc["level"] = "network"
	case 2:
		doc["network"] = map[string]any{"allowUnixSockets": []string{w.at([]string{"T/a/x/s", "T/q/s", "T/l/s"}[r.IntN(3)])}}
	case 3:
		doc["state"] = "why"
	}
	b, _ := json.Marshal(doc)
	return string(b)
}

// Random policies over one tree: every answer is as the attempt, and every suggested change lets the act happen.
func TestRandomPolicies(t *testing.T) {
	w, rows := newWorld(t), 0
	for seed := range uint64(seeds(t)) {
		r := rand.New(rand.NewPCG(seed, 18))
		c := w.trial(t, w.document(r), "", w.acts(), &rows)
		c.compare()
	}
	t.Logf("%d rows", rows)
}

// Without a root of its own the server sees the host's tree, and rules say what it opens. Denials are refused there.
func TestReduced(t *testing.T) {
	w, rows := newWorld(t), 0
	docs := []string{`{}`, `{"filesystem":{"allowRead":["T/a"],"allowWrite":["T/q","T/a/b/c"]}}`,
		`{"filesystem":{"default":"read"}}`,
		`{"filesystem":{"allowRead":["T/l","T/home"]}}`,
		`{"level":"strict","minConfinement":"reduced","subprocess":{"allow":true},"filesystem":{"allowWrite":["T/a"]}}`,
		`{"filesystem":{"allowRead":["T/a"],"denyRead":["T/a/b"]}}`}
	if raced() {
		docs = docs[:2]
	} else if testing.Short() {
		docs = docs[:3]
	}
	for _, doc := range docs {
		c := w.trial(t, w.policy(t, doc), "reduced", w.acts(), &rows)
		c.compare()
	}
	t.Logf("%d rows", rows)
}

// seeds is how many policies are made.
func seeds(t *testing.T) int {
	if n, err := json.Number(os.Getenv("MCP_SANDBOX_WHY_SEEDS")).Int64(); err == nil {
		return int(n)
	}
	if raced() {
		return 1
	}
	return 3
}

// raced reports whether this test looks for races. A launch then takes ten times as long, and all rows are tried
// without that as well.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
