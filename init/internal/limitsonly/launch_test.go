//go:build darwin || linux || windows

package limitsonly

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func seconds(n float64) policy.Duration { return policy.Duration(n * float64(time.Second)) }

// The server's own status is the launcher's, and what it says is passed on byte for byte.
func TestStatusAndStreams(t *testing.T) {
	for _, code := range []int{0, 7, 250} {
		r := trial{Serve: []string{"exit", strconv.Itoa(code)}}.launch(t)
		if _, got, _, last := r.all(t); got != code || last == nil || last.Cause != order.CauseExit || last.ExitCode != code || last.Killed != 0 {
			t.Errorf("status %d, want %d; %+v\n%s", got, code, last, r.errs.String())
		}
	}
	r := trial{Serve: []string{"echo"}}.launch(t)
	text := strings.Repeat("0123456789\x00\xff\n", 20000)
	go func() { r.stdin.Write([]byte(text)); r.stdin.Close() }()
	if out, code, _, _ := r.all(t); out != text || code != 0 {
		t.Errorf("%d bytes came back of %d, status %d\n%s", len(out), len(text), code, r.errs.String())
	}
}

// Arguments arrive as they are.
func TestArguments(t *testing.T) {
	args := []string{"a b", "", `"quoted"`, `C:\x\`, `a\"b`, "ünï", "%PATH%", "$HOME", "*"}
	r := trial{Serve: append([]string{"args"}, args...)}.launch(t)
	var quoted []string
	for _, a := range args {
		quoted = append(quoted, strconv.Quote(a))
	}
	if out, _, _, _ := r.all(t); out != "["+strings.Join(quoted, " ")+"]\n" {
		t.Errorf("%s\n%s", out, r.errs.String())
	}
}

// The report has all nine layers, its confinement is limits, and what is no barrier here is absent with a reason.
func TestReport(t *testing.T) {
	r := trial{Serve: []string{"exit", "0"}, Verbose: true}.launch(t)
	_, _, first, _ := r.all(t)
	if first == nil {
		t.Fatal(r.errs.String())
	}
	if first.Confinement != "limits" || first.PID <= 0 || first.Kernel == "" || first.PolicySHA256 == "" {
		t.Errorf("%+v", first)
	}
	want := map[order.Layer]order.State{order.Descriptors: order.Proved, order.Limits: order.Proved}
	if os.Getuid() == 0 {
		want[order.Privileges] = order.Proved // the server is another user
	}
	for i, name := range order.Layers() {
		l := &first.Layers[i]
		state := order.Absent
		if s, ok := want[name]; ok {
			state = s
		}
		if l.Layer != name || l.State != state {
			t.Errorf("layer %s is %s, want %s %s", l.Layer, l.State, name, state)
		}
		if l.State == order.Absent && (l.Reason == "" || l.Effect == "" || !strings.Contains(r.errs.String(), string(name)+" is absent: ")) {
			t.Errorf("layer %s is absent, and why is not said", name)
		}
		for _, f := range l.Facts {
			if (f.Got == "") != (f.Reason != "") || f.Got == "" && f.Effect == "" {
				t.Errorf("a fact that says neither what is nor why not: %+v", f)
			}
		}
	}
}

// Level privileged is confinement none and says so: the server has its user's rights, temporary files and home, and is
// supervised all the same.
func TestPrivileged(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	home := os.Getenv("HOME")
	for _, c := range []struct {
		limits policy.Limits
		cgroup order.State
	}{{policy.Limits{}, order.Off}, {policy.Limits{Memory: 1 << 30}, order.Absent}} {
		r := trial{Policy: policy.Policy{Level: policy.Privileged, Limits: c.limits}, Serve: []string{"env"}}.launch(t)
		out, code, first, last := r.all(t)
		if code != 0 || first == nil || last == nil || first.Confinement != "none" || !strings.Contains(out, "HOME="+home) || strings.Contains(out, privdir.Prefix) {
			t.Fatalf("status %d\n%s\n%s", code, out, r.errs.String())
		}
		if !strings.Contains(r.errs.String(), notice.NothingConfined) || strings.Contains(r.errs.String(), "confinement limits") {
			t.Error(r.errs.String())
		}
		for _, l := range first.Layers {
			want := order.Off
			switch l.Layer {
			case order.Descriptors, order.Limits:
				want = order.Proved
			case order.Cgroup:
				want = c.cgroup
			}
			if l.State != want {
				t.Errorf("layer %s is %s, want %s", l.Layer, l.State, want)
			}
		}
	}
}

// A secret of the launcher's stays, and temporary files and home are private and gone at the end.
func TestPrivateFolder(t *testing.T) {
	t.Setenv("MCP_SANDBOX_SECRET", "s")
	r := trial{Serve: []string{"env"}}.launch(t)
	out, _, first, _ := r.all(t)
	if strings.Contains(out, "MCP_SANDBOX_SECRET") || first == nil || !strings.Contains(strings.Join(first.EnvDropped, " "), "MCP_SANDBOX_SECRET") {
		t.Errorf("the server has the variable, or the report does not name it:\n%s", out)
	}
	r = trial{Serve: []string{"write"}}.launch(t)
	out, code, _, _ := r.all(t)
	dir := strings.TrimSpace(out)
	if code != 0 || !strings.Contains(dir, privdir.Prefix) {
		t.Fatalf("status %d, %s", code, dir)
	}
	if _, err := os.Stat(filepath.Dir(dir)); err == nil {
		t.Errorf("%s is still there", dir)
	}
}

// A home that lasts is the folder of its state, and is there afterwards.
func TestState(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "LOCALAPPDATA"} {
		t.Setenv(name, home)
	}
	t.Setenv("XDG_STATE_HOME", "")
	planState(t)
	trial{Serve: []string{"env"}, Policy: policy.Policy{State: "acme"}, Probe: true}.launch(t).all(t)
	if names, err := os.ReadDir(home); len(names) > 0 || err != nil {
		t.Errorf("a plan or a probe made %v, %v", names, err)
	}
	r := trial{Serve: []string{"env"}, Policy: policy.Policy{State: "acme"}}.launch(t)
	out, code, first, _ := r.all(t)
	if os.Geteuid() == 0 {
		if code != 125 {
			t.Errorf("root's server, which cannot enter root's folders: %d", code)
		}
		return
	}
	at := ""
	for line := range strings.Lines(out) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "HOME="); ok {
			at = path
		}
	}
	info, err := os.Stat(at)
	if code != 0 || first == nil || first.State != "acme" || filepath.Base(at) != "acme" || err != nil || !info.IsDir() {
		t.Fatalf("status %d, HOME %q, %v\n%s", code, at, err, out)
	}
	f := first.Layer(order.Descriptors).Fact(func(f *order.Fact) bool { return f.Name == "home of state acme" })
	if f == nil || f.Got != f.Want || f.Got != at {
		t.Errorf("the fact: %+v", f)
	}
}

// What the system cannot hold is an error, unless less is written out.
func TestRefused(t *testing.T) {
	secret := policy.Policy{Filesystem: policy.Filesystem{DenyRead: []string{t.TempDir()}}}
	lenient := secret
	lenient.MinConfinement = policy.ConfinementLimits
	for _, c := range []struct {
		name   string
		policy policy.Policy
		words  string // "" is a launch
	}{
		{"strict", policy.Policy{Level: policy.Strict}, "minConfinement full"},
		{"reduced", policy.Policy{MinConfinement: policy.Reduced}, "minConfinement reduced"},
		{"a denied folder", secret, "filesystem.denyRead"},
		{"a denied folder, and less will do", lenient, ""},
		{"a grant that is missing", policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{"/no/such/folder"}}, MinConfinement: policy.ConfinementLimits}, "filesystem.allowRead"},
		{"a grant that may be missing", policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{"-/no/such/folder"}}, MinConfinement: policy.ConfinementLimits}, ""},
		{"a system call", policy.Policy{Seccomp: policy.Seccomp{Deny: []string{"bpf"}}}, "seccomp.deny"},
	} {
		r := trial{Policy: c.policy, Serve: []string{"exit", "7"}}.launch(t)
		_, code, _, _ := r.all(t)
		errs := r.errs.String()
		if c.words == "" && code != 7 || c.words != "" && (code != 125 || !strings.Contains(errs, c.words)) {
			t.Errorf("%s: status %d, want %q\n%s", c.name, code, c.words, errs)
		}
	}
}
