package listener_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/notify"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

var update = flag.Bool("update", false, "write the golden file anew")

const (
	usual   = `{"version":1}`
	oneExec = `{"version":1,"subprocess":{"allow":false}}`
	mute    = `{"version":1,"seccomp":{"deny":["sendmsg"]}}`                // the listener could not be handed over
	listed  = `{"version":1,"network":{"allowedDomains":["host.example"]}}` // in reduced: other calls are answered in earnest
	owned   = "listener in the server's process"
)

// dangerous are the calls of the set that this machine has, but for what only subprocess.allow refuses.
func dangerous(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile("../../confine/seccomp/testdata/reported.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(string(text), "\n") {
		switch name {
		case "", "fork", "vfork", "execveat":
			continue
		}
		if nr, ok := seccomp.Number(name); ok && nr != seccomp.NoNumber && !strings.HasPrefix(name, "#") {
			names = append(names, name)
		}
	}
	if len(names) < 40 {
		t.Fatalf("%d calls: %v", len(names), names)
	}
	return names
}

// Each call of the dangerous set is told in a line of its own, and counted. Its answer is the same where nobody is
// told, which is the control: a listener decides nothing.
func TestEachIsTold(t *testing.T) {
	names := dangerous(t)
	var want []order.Denied
	var refused strings.Builder
	for _, name := range names {
		want = append(want, order.Denied{Event: "denied", Layer: order.Seccomp, Act: order.Act{Kind: order.DeniedSyscall, Syscall: name}, PID: 2, Errno: "EPERM"})
		fmt.Fprintln(&refused, name, "EPERM")
	}
	for _, doc := range []string{usual, oneExec} {
		o := launch(t, shimName, doc, "calls", names...)
		if o.Code != 0 || o.Stdout.String() != refused.String() {
			t.Errorf("code %d\n%s\n%s", o.Code, o.Stdout.String(), o.Stderr.String())
		}
		for i := range o.Denied {
			d := &o.Denied[i]
			if d.Time.IsZero() || (d.Flag != "") != (doc == oneExec && d.Syscall == "clone") {
				t.Errorf("%+v", d)
			}
			d.Time, d.Flag = time.Time{}, ""
		}
		if !reflect.DeepEqual(o.Denied, want) {
			t.Errorf("told: %v\nwant: %v", o.Denied, want)
		}
		if len(o.Exited.Denied) != len(names) || o.Exited.Dropped != 0 {
			t.Errorf("%d calls counted, %d lines dropped", len(o.Exited.Denied), o.Exited.Dropped)
		}
		if got := o.Fact(order.Seccomp, owned).Got; got != "EBADF" {
			t.Errorf("%s: %q", owned, got)
		}
	}
}

// Around a sandbox that has a listener already, and where the policy takes away what one needs, only the report
// differs.
func TestWithoutListener(t *testing.T) {
	names := dangerous(t)
	told := launch(t, shimName, usual, "calls", names...)
	for _, c := range []struct{ shim, doc, reason string }{
		{outside, usual, "device or resource busy"},
		{outside, oneExec, "device or resource busy"},
		{shimName, mute, "seccomp.deny"},
	} {
		o := launch(t, c.shim, c.doc, "calls", names...)
		if o.Code != told.Code || o.Stdout.String() != told.Stdout.String() || o.Exited.Cause != told.Exited.Cause || o.Enforced.Confinement != told.Enforced.Confinement {
			t.Errorf("%s: code %d, %s\n%s\n%s\nwith a listener: code %d, %s\n%s\n%s", c.doc, o.Code, o.Exited.Cause, &o.Stdout, &o.Stderr,
				told.Code, told.Exited.Cause, &told.Stdout, &told.Stderr)
		}
		if len(o.Denied) != 0 || len(o.Exited.Denied) != 0 || strings.Contains(o.Stderr.String(), "was refused") {
			t.Errorf("%s: told %v, %v", c.doc, o.Denied, o.Exited.Denied)
		}
		f := o.Fact(order.Seccomp, "listener")
		if f.Got != "" || !strings.Contains(f.Reason, c.reason) || f.Effect == "" || strings.Contains(o.Stderr.String(), f.Reason) {
			t.Errorf("%s: %+v\n%s", c.doc, f, o.Stderr.String())
		}
	}
}

// Where one program is all there may be, its tries to start others are told; what is told of execve is only the errno.
func TestOneExecIsTold(t *testing.T) {
	var names []string
	for _, name := range []string{"fork", "vfork", "execveat"} {
		if nr, _ := seccomp.Number(name); nr != seccomp.NoNumber {
			names = append(names, name)
		}
	}
	o := launch(t, shimName, oneExec, "calls", append(names, "execve")...)
	var got []string
	for _, d := range o.Denied {
		if d.Flag != "--subprocess" || !strings.Contains(o.Stderr.String(), d.Syscall+": it may start no other program (--subprocess lets it)\n") {
			t.Errorf("%+v, %s", d, o.Stderr.String())
		}
		got = append(got, d.Syscall)
	}
	if !reflect.DeepEqual(got, names) || !strings.HasSuffix(o.Stdout.String(), "execve ENOSYS\n") {
		t.Errorf("told: %v, %q\n%s", got, o.Stdout.String(), o.Stderr.String())
	}
}

// What is told is the process, whichever of its threads made the call.
func TestProcess(t *testing.T) {
	for _, does := range []string{"thread", "child"} {
		o := launch(t, shimName, usual, does)
		if len(o.Denied) != 1 || o.Stdout.String() != fmt.Sprintln("EPERM", o.Denied[0].PID) || (o.Denied[0].PID == 2) != (does == "thread") {
			t.Errorf("%s: %v, %q\n%s", does, o.Denied, o.Stdout.String(), o.Stderr.String())
		}
	}
}

func TestNotTheServers(t *testing.T) {
	// 3 is the folder itself; what else the Go runtime opens is an epoll and its event.
	o := launch(t, shimName, usual, "descriptors")
	control := launch(t, outside, usual, "descriptors")
	if o.Stdout.String() != control.Stdout.String() || !strings.HasPrefix(o.Stdout.String(), "0 1 2 3") {
		t.Errorf("%q, without a listener %q", o.Stdout.String(), control.Stdout.String())
	}
}

// The lines on standard error: one for the first call of each name, as it happens, and five at most.
func TestSummary(t *testing.T) {
	o := launch(t, shimName, usual, "calls", "ptrace", "mount", "ptrace", "bpf", "keyctl", "bpf", "ptrace", "uname", "unshare", "setns", "pivot_root")
	got := ""
	for _, line := range strings.SplitAfter(o.Stderr.String(), "\n") {
		if !strings.Contains(line, "is absent: ") { // of the machine
			got += line
		}
	}
	const file = "testdata/summary.golden"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if o := launch(t, shimName, usual, "calls", "uname"); strings.Contains(o.Stderr.String(), "refused") {
		t.Errorf("nothing was denied: %s", o.Stderr.String())
	}
}

// However many calls a server makes, they cost it its own time: the shim answers a bounded number a second, and
// writes a bounded number of lines.
func TestFlood(t *testing.T) {
	for _, f := range []struct {
		calls, threads int
		policy         string
	}{{3000, 1, usual}, {10000, 8, usual}, {3000, 2, listed}} {
		t.Run(fmt.Sprint(f.threads), func(t *testing.T) {
			t.Parallel()
			calls := f.calls
			began := time.Now()
			o := launch(t, shimName, f.policy, "flood", fmt.Sprint(calls), fmt.Sprint(f.threads))
			wall := time.Since(began)
			if o.Stdout.String() != fmt.Sprintf("map[EPERM:%d]\n", calls) {
				t.Errorf("%q\n%s", o.Stdout.String(), o.Stderr.String())
			}
			d := o.Exited.Denied
			if len(d) != 1 || d[0].Syscall != "ptrace" || d[0].Count != int64(calls) {
				t.Fatalf("%v", d)
			}
			if n := len(o.Denied); n < 2 || n > 34+int(wall/time.Second) || o.Exited.Dropped != d[0].Count-int64(n) {
				t.Errorf("%d lines in %s, %d dropped", n, wall, o.Exited.Dropped)
			}
			if strings.Count(o.Stderr.String(), "was refused the system call ptrace, ") != 1 {
				t.Error(o.Stderr.String())
			}
			shim := (o.Cmd.ProcessState.UserTime() + o.Cmd.ProcessState.SystemTime()).Seconds() - o.Exited.CPUSeconds
			t.Logf("%d calls in %s: %.3f s of the shim's processor time, %d lines", calls, wall, shim, len(o.Denied))
			if most := 0.2*wall.Seconds() + 0.5; shim > most {
				t.Errorf("%.3f s of the shim's processor time in %s", shim, wall)
			}
			if least := time.Duration(calls-1500) * time.Second / 500; wall < least {
				t.Errorf("%d calls in %s: nothing held them back, pause %s", calls, wall, notify.Pause)
			}
		})
	}
}
