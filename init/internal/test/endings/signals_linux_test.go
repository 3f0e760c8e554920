package endings_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// says is a server that says the name of every signal of a list, and for some then does something.
func says(names, then string) []string {
	return shell(`for s in ` + names + `; do trap "echo $s; ` + then + `" $s; done; echo ready
		sleep 1000 & while :; do wait $!; done`)
}

// Signals that do not ask for the end are passed on and change nothing else.
func TestSignalsThatPass(t *testing.T) {
	const names = "QUIT USR1 USR2 WINCH CONT TSTP"
	t.Parallel()
	l := launch{Launch: host.Launch{Command: says(names, ":")}, Through: []string{"setsid", "--wait"}} // without a terminal, whose shell would wait
	run := start(t, l, "", false)
	run.line("ready")
	run.settled(3, 0)
	shim := run.shim()
	for round := range 3 {
		for _, name := range strings.Fields(names) {
			unix.Kill(shim, unix.SignalNum("SIG"+name))
			if got := run.next(); got != name {
				t.Fatalf("round %d: sent %s, the server got %q", round, name, got)
			}
		}
	}
	alive, _ := run.here()
	if len(alive) < 3 {
		t.Errorf("only %v live", alive)
	}
	for _, p := range alive {
		if p.parent == run.process1 && p.mark == run.mark {
			unix.Kill(p.pid, unix.SIGKILL)
		}
	}
	if _, x := run.end(); x == nil || x.Cause != order.CauseSignal || x.Signal != "SIGKILL" { // an end that was begun would be the cause
		t.Errorf("%+v", x)
	}
}

// shim is the process id of a launcher that was started through another program or host.
func (t *trial) shim() int {
	t.Helper()
	for _, p := range processes() {
		if p.mark == t.mark && p.parent == t.cmd.Process.Pid && p.space != t.space {
			return p.pid
		}
	}
	return t.cmd.Process.Pid // it has become the launcher
}

// Signals that ask for the end are passed on as they are, and a server that ends then has ended by itself.
func TestSignalsThatEnd(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"INT", "HUP", "TERM"} {
		for _, embedded := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run := start(t, launch{Launch: host.Launch{Command: says(name, "exit 9")}, Embedded: embedded}, `"limits":{"grace":"1m"}`, false)
				run.line("ready")
				run.settled(3, 0)
				run.cmd.Process.Signal(unix.SignalNum("SIG" + name))
				run.line(name)
				code, x := run.end()
				if code != 9 || x == nil || x.Cause != order.CauseCancelled || x.Killed != 1 || x.Signal != "" {
					t.Errorf("code %d, %+v", code, x)
				}
			})
		}
	}
}

// timeout(1) signals its child and then the whole group: the server hears of it once, and has its grace.
func TestTwiceIsOnce(t *testing.T) {
	t.Parallel()
	sometimes(t, func() error {
		run := start(t, launch{Launch: host.Launch{Command: says("TERM", ":")}, Through: []string{"timeout", "600"}}, `"limits":{"grace":"900ms"}`, false)
		run.line("ready")
		run.settled(3, 0)
		from := time.Now()
		run.cmd.Process.Signal(unix.SIGALRM) // as if that time were over
		if got := run.next(); got != "TERM" {
			run.end()
			return fmt.Errorf("the server heard %q", got)
		}
		heard := run.next()
		code, x := run.end()
		if took := time.Since(from); heard != "EOF" && heard != "" || took < 900*time.Millisecond {
			return fmt.Errorf("the server heard %q as well, and was killed after %s", heard, took)
		}
		if code != 124 && code != 137 || x == nil || x.Cause != order.CauseCancelled || x.Killed != 2 {
			t.Errorf("code %d, %+v", code, x)
		}
		return nil
	})
}

// The same with a server that has heard the first before the second comes. A machine that stands still makes more of the
// moment: then it is tried again.
func TestTwiceInAMomentIsOnce(t *testing.T) {
	t.Parallel()
	sometimes(t, func() error {
		run := start(t, of(says("TERM", ":")), `"limits":{"grace":"900ms"}`, false)
		run.line("ready")
		run.settled(3, 0)
		run.cmd.Process.Signal(syscall.SIGTERM)
		if got := run.next(); got != "TERM" {
			return fmt.Errorf("the server heard %q", got)
		}
		run.cmd.Process.Signal(syscall.SIGTERM)
		if got := run.next(); got != "EOF" && got != "" {
			return fmt.Errorf("the server heard %q as well", got)
		}
		if _, x := run.end(); x == nil || x.WallSeconds < 0.9 || x.Killed != 2 {
			return fmt.Errorf("%+v", x)
		}
		return nil
	})
}

// sometimes demands that something holds once in some tries: what has to be over within a time is late on a busy
// machine as well, and without what makes it end it is late each time.
func sometimes(t *testing.T, try func() error) {
	t.Helper()
	const tries = 5
	for i := range tries {
		err := try()
		if err == nil {
			return
		}
		if i == tries-1 {
			t.Error(err)
		} else {
			t.Log(err)
		}
	}
}

// Once asked, a server whose host is lost is not waited for.
func TestHostLostAfterTERM(t *testing.T) {
	t.Parallel()
	for _, embedded := range []bool{true, false} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			run := start(t, launch{Launch: host.Launch{Command: says("TERM", ":")}, Embedded: embedded}, `"limits":{"grace":"5m"}`, true)
			run.line("ready")
			run.settled(3, 0)
			for _, pid := range testbed.Children(run.cmd.Process.Pid) {
				unix.Kill(pid, unix.SIGTERM)
			}
			run.line("TERM")
			run.cmd.Process.Kill()
			run.nobodyLeft()
		})
	}
}

// At whatever moment SIGTERM comes, it does what it does to a program that is started without a sandbox: it is not
// lost and not doubled, and before the server is released the server never runs. The moments are spread over what a
// launch takes, and where the machine becomes slower or faster meanwhile there are more.
func TestTERMAtAnyMoment(t *testing.T) {
	t.Parallel()
	least, most := 60, 300
	if testing.Short() {
		least = 20
	}
	script := shell(`trap "echo TERM; exit 3" TERM; echo ready; sleep 100 & while :; do wait $!; done`)
	begin := func() *trial {
		return start(t, of(script), `"limits":{"grace":"60s"}`, false)
	}
	whole := time.Duration(0)
	for range 2 { // the first is slower
		run := begin()
		run.line("ready")
		whole = time.Since(run.began) * 5 / 4
		run.cmd.Process.Signal(syscall.SIGTERM)
		run.end()
	}
	count := map[string]int{}
	for i := range most {
		if i >= least && count["before the release"] > 0 && count["handled"] > 0 {
			break
		}
		if i > 0 && i%least == 0 {
			if count["handled"] == 0 {
				whole *= 2
			} else { // the launches that were measured were slower than these
				whole /= 2
			}
		}
		run := begin()
		after := whole * time.Duration(i%least) / time.Duration(least-1)
		testbed.Moment(i%least, least-1, whole)
		run.cmd.Process.Signal(syscall.SIGTERM)
		code, x := run.end()
		said := run.next() + run.next()
		switch {
		case x == nil && code == -1 && said == "":
			count["before it listened"]++
		case x != nil && x.Event == "refused" && code == 143 && said == "" && strings.Contains(string(run.last), `"layer":"exec"`):
			count["before the release"]++
		case x != nil && code == 143 && x.Signal == "SIGTERM" && x.Cause == order.CauseCancelled && said != "readyTERM":
			count["before the handler"]++
		case x != nil && code == 3 && (said == "readyTERM" || said == "TERM") && x.Cause == order.CauseCancelled:
			count["handled"]++
		default:
			t.Errorf("after %v: code %d, said %q, %s", after, code, said, run.last)
		}
		if x != nil && x.WallSeconds > 30 {
			t.Errorf("after %v: lost: %+v", after, x)
		}
		run.nobodyLeft()
	}
	t.Log(whole, count)
	if count["before the release"] == 0 || count["handled"] == 0 {
		t.Errorf("not every moment was tried: %v", count)
	}
}
