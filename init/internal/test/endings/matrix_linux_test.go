package endings_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

const (
	grace   = 400 * time.Millisecond // for servers that do not heed SIGTERM
	unasked = time.Second            // for those that nobody signals before
	limit   = 5 * time.Second        // of time, for the servers that need long to begin; a machine that needs longer gets more
	slack   = 3 * time.Second        // of processes that end: less than what another grace would take
)

// A trigger is one way to end a launch.
type trigger struct {
	name   string
	limits string // but for the grace
	act    func(t *trial)
	cause  order.Cause // "" if nobody is left to tell
	code   int         // 0: as the server ends
	asked  bool        // by a signal, with grace for an answer
	after  time.Duration
	killed bool // at once

	byItself, stubborn, ownHost, onlyEmbedded bool
}

func triggers() []trigger {
	timed := `,"timeout":"` + limit.String() + `"`
	launcherPID := func(t *trial) int { return t.cmd.Process.Pid }
	return []trigger{
		{name: "exit", cause: order.CauseExit, code: 7, byItself: true,
			act: func(t *trial) { t.stdin.Write([]byte("\n")) }},
		{name: "TERM launcher", cause: order.CauseCancelled, asked: true,
			act: func(t *trial) { unix.Kill(launcherPID(t), unix.SIGTERM) }},
		{name: "KILL launcher",
			act: func(t *trial) { unix.Kill(launcherPID(t), unix.SIGKILL) }},
		{name: "KILL host", cause: order.CauseHostGone, asked: true, ownHost: true,
			act: func(t *trial) { unix.Kill(launcherPID(t), unix.SIGKILL) }},
		{name: "stdin", cause: order.CauseStdinClosed, asked: true, after: unasked,
			act: func(t *trial) { t.stdin.Close() }},
		{name: "timeout", limits: timed, cause: order.CauseTimeout, code: 124, asked: true, after: limit, act: func(t *trial) {}},
		{name: "TERM twice", cause: order.CauseCancelled, stubborn: true, killed: true, after: 600 * time.Millisecond,
			act: func(t *trial) {
				testbed.Comes(func() bool { // and more often: those of the first moment are one
					unix.Kill(launcherPID(t), unix.SIGTERM)
					state := testbed.State(launcherPID(t))
					return state == "" || state == "Z"
				})
			}},
		{name: "Close", cause: order.CauseHostGone, asked: true, onlyEmbedded: true,
			act: func(t *trial) { t.sb.Close() }},
		{name: "KILL init", cause: order.CauseSupervisorLost, killed: true,
			act: func(t *trial) { unix.Kill(t.process1, unix.SIGKILL) }},
	}
}

// policy is that of a launch of a server: one that heeds SIGTERM gets more time than any machine needs, which nobody waits
// for unless nobody signals.
func (tr *trigger) policy(s *server) string {
	return fmt.Sprintf(`"limits":{"pids":700,"grace":"%s"%s}`, tr.grace(s), tr.limits)
}

func (tr *trigger) grace(s *server) time.Duration {
	switch {
	case tr.name == "stdin":
		return unasked
	case s.stubborn && !tr.stubborn:
		return grace
	}
	return 20 * time.Second
}

// The same without a pid namespace: there the shim, or init in its place, finds and kills everything itself. With -short
// the servers whose processes are hardest to find.
func TestKillMatrixShared(t *testing.T) {
	t.Parallel()
	for _, c := range []policy.Confinement{policy.Reduced, policy.ConfinementLimits, policy.None} {
		for _, tr := range triggers() {
			for _, s := range servers() {
				short := s.name == "daemon" || c == policy.Reduced && (s.name == "stopped" || s.name == "node")
				if testing.Short() && !short || tr.onlyEmbedded || tr.byItself && s.stops || c != policy.Reduced && s.dead > 0 {
					continue
				}
				t.Run(string(c)+"/"+tr.name+"/"+s.name, func(t *testing.T) {
					t.Parallel()
					l := launch{Launch: host.Launch{Begin: string(c), Command: s.command(t, tr.byItself, tr.stubborn)}}
					tr.hold(t, &l, &s)
				})
			}
		}
	}
}

// Whatever ends a launch, of whatever server: nobody survives, and how it ended is told.
func TestKillMatrix(t *testing.T) {
	t.Parallel()
	for _, tr := range triggers() {
		for _, s := range servers() {
			for _, embedded := range []bool{true, false} {
				short := !embedded || s.name == "node" || tr.onlyEmbedded
				if testing.Short() && !short || tr.onlyEmbedded && !embedded || tr.byItself && s.stops || embedded && s.dead > 0 {
					continue
				}
				form := "init"
				if embedded {
					form = "embedded"
				}
				t.Run(tr.name+"/"+s.name+"/"+form, func(t *testing.T) {
					t.Parallel()
					l := launch{Launch: host.Launch{Command: s.command(t, tr.byItself, tr.stubborn)}, Embedded: embedded}
					tr.hold(t, &l, &s)
				})
			}
		}
	}
}

// hold tries it until it is over in time: late it may be once, on a busy machine.
func (tr trigger) hold(t *testing.T, l *launch, s *server) {
	t.Helper()
	sometimes(t, func() error {
		err := tr.try(start(t, *l, tr.policy(s), tr.ownHost), l, s)
		if err != nil && tr.name == "timeout" {
			tr.limits = strings.Replace(tr.limits, tr.after.String(), (2 * tr.after).String(), 1)
			tr.after *= 2
		}
		return err
	})
}

func (tr *trigger) try(t *trial, l *launch, s *server) error {
	t.Helper()
	if tr.name == "timeout" {
		if said := t.next(); said != "ready" {
			t.end()
			return fmt.Errorf("its time was over before it was ready: it said %q", said)
		}
	} else {
		t.line("ready")
	}
	if !t.settled(2+s.beside, s.dead) {
		t.end()
		return errors.New("it was over before it was looked at")
	}
	from := time.Now()
	began := from.Sub(t.began) // on a busy machine the end takes as long as the beginning
	tr.act(t)
	over := from.Add(tr.after + slack + began)
	if l.Begin != "" { // a whole program of Go is started first, on a machine that is busy with this very test
		over = over.Add(4 * time.Second)
	}
	if tr.name == "timeout" { // which runs from the server's release
		over = t.began.Add(over.Sub(from))
	}
	killed := tr.killed || s.stubborn || tr.stubborn
	if tr.asked && killed {
		over = over.Add(min(tr.grace(s), unasked))
	}
	code, x, late := 0, (*order.Exited)(nil), time.Duration(0)
	if tr.ownHost {
		t.cmd.Wait()
		late = t.goneBy(over)
		if l.Embedded {
			return tardy(late) // the report went to the host
		}
		if x = t.exited(); x != nil {
			code = x.ExitCode
		}
	} else {
		code, x = t.end()
		late = t.goneBy(over)
	}
	switch {
	case tr.cause == "" && (code != -1 || (x != nil) != l.Embedded || x != nil && x.Cause != order.CauseSupervisorLost):
		t.Errorf("a launcher that was killed ended with %d and said %+v", code, x)
	case tr.onlyEmbedded, tr.cause == "":
	case tr.ownHost && time.Since(from) > tr.grace(s)+2*time.Second: // then init ends them, and the launcher has nobody to count
		if began < time.Second {
			return errors.New("the launcher was slower than init waits for it")
		}
		t.Logf("the launch began after %v: init ended it before the launcher could", began)
	case x == nil:
		t.Errorf("no last record; code %d\n%s", code, t.stderr.String())
	case tr.name == "stdin" && !killed && x.Killed > s.beside: // perhaps in the middle of its end
		return fmt.Errorf("after a beginning of %v its server did not end within %v", began, unasked)
	default:
		tr.check(t, l.Begin != "", killed, 1+s.beside, code, x)
	}
	return tardy(late)
}

// check holds a launcher's code and last record against what was done to its server. There were so many processes
// beside init.
func (tr *trigger) check(t *trial, shared, killed bool, processes, code int, x *order.Exited) {
	t.Helper()
	want := order.Exited{Cause: tr.cause, Killed: processes - 1, Signal: "SIGTERM", ExitCode: 128 + int(unix.SIGTERM)}
	if killed {
		want.Killed, want.Signal, want.ExitCode = processes, "SIGKILL", 128+int(unix.SIGKILL)
	}
	if tr.byItself {
		want.Killed, want.Signal = processes-1, ""
	}
	if tr.code != 0 {
		want.ExitCode = tr.code
	}
	if tr.cause == order.CauseSupervisorLost && !shared {
		want.Killed = 0 // the kernel did
	}
	if code != want.ExitCode || x.ExitCode != code || x.Cause != want.Cause || x.Killed != want.Killed || x.Signal != want.Signal {
		t.Errorf("code %d, %+v\nwant %+v\n%s", code, *x, want, t.stderr.String())
	}
}
