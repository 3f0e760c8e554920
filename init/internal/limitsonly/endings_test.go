//go:build darwin || linux || windows

package limitsonly

import (
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func (r *run) pid(t *testing.T) int {
	t.Helper()
	line := r.line(t)
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatalf("%q is no process id\n%s", line, r.errs.String())
	}
	return n
}

// A server that takes no notice of anything has its time, its grace, and no more; and so has everything it started.
func TestTimeout(t *testing.T) {
	p := policy.Policy{Limits: policy.Limits{Timeout: seconds(5), Grace: seconds(0.3)}}
	r := trial{Policy: p, Serve: []string{"tree", "2"}}.launch(t)
	pids := []int{r.pid(t), r.pid(t), r.pid(t)}
	_, code, _, last := r.all(t)
	if code != 124 || last == nil || last.Cause != order.CauseTimeout || last.WallSeconds < 5 {
		t.Errorf("status %d, %+v\n%s", code, last, r.errs.String())
	}
	for _, pid := range pids {
		gone(t, pid)
	}
}

// What a server leaves behind ends with it, and is counted.
func TestLeftBehind(t *testing.T) {
	r := trial{Serve: []string{"tree", "2", "to the end of input"}}.launch(t)
	pids := []int{r.pid(t), r.pid(t), r.pid(t)}
	r.stdin.Close()
	_, code, _, last := r.all(t)
	if code != 0 || last == nil || last.Cause != order.CauseExit || last.Killed != 2 {
		t.Errorf("status %d, %+v, want 2 killed\n%s", code, last, r.errs.String())
	}
	for _, pid := range pids {
		gone(t, pid)
	}
}

// Nor does one stay that left its parent, which has ended, and its session: it was seen before.
func TestDaemonLeftBehind(t *testing.T) {
	r := trial{Serve: []string{"daemon"}}.launch(t)
	pid := r.pid(t)
	r.looks(t)
	r.stdin.Close()
	if _, code, _, last := r.all(t); code != 0 || last == nil || last.Killed != 1 {
		t.Errorf("status %d, %+v, want 1 killed\n%s", code, last, r.errs.String())
	}
	gone(t, pid)
}

// Whatever happens to the shim, nothing of the server stays.
func TestShimKilled(t *testing.T) {
	r := trial{Serve: []string{"tree", "2"}}.launch(t)
	pids := []int{r.pid(t), r.pid(t), r.pid(t)}
	for _, pid := range pids {
		if !lives(pid) {
			t.Fatalf("process %d has ended before", pid)
		}
	}
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		gone(t, pid)
	}
}

// The end of standard input is the end of the session: a server that goes on is asked, and then killed.
func TestStdinClosed(t *testing.T) {
	p := policy.Policy{Limits: policy.Limits{Grace: seconds(0.3)}}
	r := trial{Policy: p, Serve: []string{"deaf"}}.launch(t)
	pid := r.pid(t)
	r.stdin.Close()
	_, code, _, last := r.all(t)
	if last == nil || last.Cause != order.CauseStdinClosed || code == 0 || !strings.Contains(r.errs.String(), "standard input was closed") {
		t.Errorf("status %d, %+v\n%s", code, last, r.errs.String())
	}
	gone(t, pid)

	p.OnStdinClose = policy.Ignore
	p.Limits.Timeout = seconds(5)
	r = trial{Policy: p, Serve: []string{"deaf"}}.launch(t)
	r.pid(t)
	r.stdin.Close()
	if _, _, _, last = r.all(t); last == nil || last.Cause != order.CauseTimeout {
		t.Errorf("%+v, want it to have had its time", last)
	}
}

// The reader of the server's output sees its end when the server has ended, though the shim still lives.
func TestGuard(t *testing.T) {
	message := `{"jsonrpc":"2.0","id":1}`
	r := trial{Serve: []string{"say", message, "hello", message}, Guard: true}.launch(t)
	out, code, _, _ := r.all(t)
	if out != message+"\n"+message+"\n" || code != 0 || !strings.Contains(r.errs.String(), "mcp-sandbox: stdout: hello\n") {
		t.Errorf("status %d, %q\n%s", code, out, r.errs.String())
	}
}

// A trial of the machine has evidence and no server.
func TestProbe(t *testing.T) {
	r := trial{Serve: []string{"say", "ran"}, Probe: true}.launch(t)
	if out, code, first, last := r.all(t); out != "" || code != 0 || first == nil || last != nil {
		t.Errorf("status %d, said %q, report %v, %v\n%s", code, out, first, last, r.errs.String())
	}
}
