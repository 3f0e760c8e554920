package limitsonly

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/windows"
)

// No process breaks away from the job; without a job the same flag is no error.
func TestBreakaway(t *testing.T) {
	r := trial{Serve: []string{"breakaway"}}.launch(t)
	out, _, _, _ := r.all(t)
	if !strings.Contains(strings.ToLower(out), "denied") {
		t.Errorf("breakaway inside: %s\n%s", out, r.errs.String())
	}
	if out := breakaway(); out != "went" {
		t.Logf("the control: breakaway outside: %s; this test is in a job itself", out)
	}
}

// breakaway starts a process outside of this one's job, if that is allowed, and tells how it went.
func breakaway() string {
	self, _ := os.Executable()
	cmd := exec.Command(self, serverArg, "exit", "0")
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_BREAKAWAY_FROM_JOB}
	if err := cmd.Run(); err != nil {
		return err.Error()
	}
	return "went"
}

// A handle that the host lets its children inherit is the shim's and not the server's.
func TestHandles(t *testing.T) {
	r := trial{Serve: []string{"exit", "0"}}.launch(t)
	_, _, first, _ := r.all(t)
	if first == nil {
		t.Fatal(r.errs.String())
	}
	facts := map[string]string{}
	for _, f := range first.Layers[0].Facts {
		facts[f.Name] = f.Got
	}
	if facts["standard handles"] != "3" || facts["an inheritable handle that it was not given"] != "not there" || facts["who may enter the private folder"] != "the owner" {
		t.Errorf("%v", facts)
	}
}

// A server that handles CTRL_BREAK has its grace, and its own status. That takes a console, which a test may not have.
func TestAsked(t *testing.T) {
	p := policy.Policy{Limits: policy.Limits{Timeout: seconds(5), Grace: seconds(10)}}
	r := trial{Policy: p, Serve: []string{"polite"}}.launch(t, func(c *exec.Cmd) {
		c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW}
	})
	r.pid(t)
	_, code, _, last := r.all(t)
	if code != 124 || last == nil || last.Cause != order.CauseTimeout {
		t.Errorf("status %d, %+v\n%s", code, last, r.errs.String())
	}
	if last != nil && last.WallSeconds > 12 {
		testbed.Missing(t, "console", "not proven: CTRL_BREAK: the server was not asked but killed after its grace")
	}
}

// The limits that the system may only take and not hold: what a real Windows must do is tried.
func TestProcessesAreLimited(t *testing.T) {
	p := policy.Policy{Limits: policy.Limits{Pids: 3}}
	r := trial{Policy: p, Serve: []string{"spawn", "5"}}.launch(t)
	out, _, first, _ := r.all(t)
	held := strings.HasPrefix(out, "2 ")
	told := false
	for _, f := range first.Layers[4].Facts {
		told = told || f.Name == "processes" && f.Got == "3"
	}
	switch {
	case told && !held:
		t.Errorf("the report says 3, and %s were started", out)
	case !held:
		testbed.Missing(t, "job", "not proven: of 5 processes above the limit there are "+strings.TrimSpace(out)+"; the report does not claim it")
	}
}

// One process, where the policy says so.
func TestOneProcess(t *testing.T) {
	p := policy.Policy{Subprocess: policy.Subprocess{Allow: policy.No}}
	r := trial{Policy: p, Serve: []string{"spawn", "2"}}.launch(t)
	if out, _, _, _ := r.all(t); !strings.HasPrefix(out, "0 ") {
		testbed.Missing(t, "job", "not proven: with one process allowed there are more: "+strings.TrimSpace(out))
	}
}

// Batch files start by their name without the extension, and what looks like a command in an argument is none.
func TestBatchFile(t *testing.T) {
	dir := t.TempDir()
	marker := filepath.Join(dir, "marker")
	script := filepath.Join(dir, "two words.cmd")
	self, _ := os.Executable()
	text := "@echo off\r\n\"" + self + "\" " + serverArg + " args %*\r\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arg, want string }{
		{`plain`, `["plain"]`},
		{`two words`, `["two words"]`},
		{`a&b|c`, `["a&b|c"]`},
		{`" & echo x > "` + marker + `" & "`, ""},
		{`"&echo x>` + marker + `&rem "`, ""},
	} {
		r := trial{Command: []string{strings.TrimSuffix(script, ".cmd"), c.arg}}.launch(t)
		out, code, _, _ := r.all(t)
		if _, err := os.Stat(marker); err == nil {
			t.Fatalf("%s: a command in an argument was executed", c.arg)
		}
		if c.want != "" && strings.TrimSpace(out) != c.want {
			t.Errorf("%s: status %d, %s, want %s\n%s", c.arg, code, out, c.want, r.errs.String())
		}
	}
	// Wine's cmd.exe takes the empty substring for the end of nothing and expands the name behind it.
	r := trial{Command: []string{script, "%COMSPEC%"}}.launch(t)
	if out, _, _, _ := r.all(t); reportsLimits() && strings.TrimSpace(out) != `["%COMSPEC%"]` {
		t.Errorf("a variable was expanded: %s", out)
	}
	r = trial{Command: []string{script, "two\nlines"}}.launch(t)
	if _, code, _, _ := r.all(t); code != 125 || !strings.Contains(r.errs.String(), "line break") {
		t.Errorf("status %d\n%s", code, r.errs.String())
	}
	r = trial{Command: []string{"cmd", "/c", "echo", "hello"}}.launch(t)
	if out, code, _, _ := r.all(t); strings.TrimSpace(out) != "hello" || code != 0 {
		t.Errorf("cmd /c: status %d, %q\n%s", code, out, r.errs.String())
	}
}
