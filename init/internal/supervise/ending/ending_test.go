package ending

import (
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func TestBecause(t *testing.T) {
	var e Ending
	e.Because(order.CauseTimeout)
	e.Because(order.CauseHostGone)
	if e.Cause != order.CauseTimeout {
		t.Errorf("the cause is %s, want the first", e.Cause)
	}
	e = Ending{Killing: true}
	e.Because(order.CauseTimeout)
	if e.Cause != "" {
		t.Errorf("what is killed already has the cause %s", e.Cause)
	}
}

func TestNext(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name string
		end  Ending
		want time.Time
	}{
		{"nothing is due", Ending{}, time.Time{}},
		{"the past", Ending{Deadlines: Deadlines{KillAt: now.Add(-time.Hour)}}, now.Add(-time.Hour)},
		{"the nearest counts", Ending{Deadlines: Deadlines{TimeoutAt: now.Add(time.Hour), SessionAt: now.Add(90 * time.Minute)}}, now.Add(time.Hour)},
		{"wherever it stands", Ending{Deadlines: Deadlines{TimeoutAt: now.Add(2 * time.Hour), KillAt: now.Add(time.Hour)}}, now.Add(time.Hour)},
	} {
		if got := c.end.Next(); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestExpire(t *testing.T) {
	now := time.Now()
	never, past, later := time.Time{}, now.Add(-time.Second), now.Add(time.Second)
	if Expire(&never, now) || Expire(&later, now) || !Expire(&past, now) {
		t.Error("due is what has passed, and nothing else")
	}
	if Expire(&past, now) {
		t.Error("due twice")
	}
}

// A fake is a server that notes what is done to it.
type fake struct{ log []string }

func (f *fake) Signal(s syscall.Signal) { f.log = append(f.log, "signal "+s.String()) }
func (f *fake) Ask(s syscall.Signal)    { f.log = append(f.log, "ask "+s.String()) }
func (f *fake) Kill() int               { f.log = append(f.log, "kill"); return 3 }

// A moment is a timer that is never due.
type moment time.Time

func (m *moment) Set(at time.Time) { *m = moment(at) }

func TestEscalation(t *testing.T) {
	soon := policy.Duration(time.Nanosecond)
	pass := func(d time.Duration) func(*Ending) { return func(*Ending) { testbed.Pass(d) } }
	step := func(e *Ending) { e.Step(func(string) {}) }
	term := func(e *Ending) { e.HostAsks(syscall.SIGTERM) }
	for _, c := range []struct {
		name   string
		policy policy.Policy
		steps  []func(*Ending)
		want   string
		cause  order.Cause
	}{
		{"asked once", policy.Policy{}, []func(*Ending){term, step}, "ask terminated", order.CauseCancelled},
		{"asked twice at once", policy.Policy{}, []func(*Ending){term, pass(repeatWindow - 1), term}, "ask terminated", order.CauseCancelled},
		{"another signal at once", policy.Policy{}, []func(*Ending){term, func(e *Ending) { e.HostAsks(syscall.SIGINT) }},
			"ask terminated, signal interrupt", order.CauseCancelled},
		{"asked again later", policy.Policy{}, []func(*Ending){term, pass(repeatWindow), term, term}, "ask terminated, kill", order.CauseCancelled},
		{"the host is gone", policy.Policy{}, []func(*Ending){(*Ending).HostGone}, "ask terminated", order.CauseHostGone},
		{"noticed twice", policy.Policy{}, []func(*Ending){(*Ending).HostGone, (*Ending).HostGone}, "ask terminated", order.CauseHostGone},
		{"gone after it asked", policy.Policy{}, []func(*Ending){term, (*Ending).HostGone}, "ask terminated, kill", order.CauseCancelled},
		{"gone and ignored", policy.Policy{OnHostExit: policy.Ignore}, []func(*Ending){(*Ending).HostGone}, "", ""},
		{"timeout", policy.Policy{Limits: policy.Limits{Timeout: soon}}, []func(*Ending){step}, "ask terminated", order.CauseTimeout},
		{"timeout and no grace", policy.Policy{Limits: policy.Limits{Timeout: soon, Grace: soon}},
			[]func(*Ending){step, pass(1), step, step}, "ask terminated, kill", order.CauseTimeout},
		{"session", policy.Policy{Limits: policy.Limits{Grace: soon}},
			[]func(*Ending){(*Ending).SessionEnds, pass(1), step}, "ask terminated", order.CauseStdinClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { escalates(t, &c.policy, c.steps, c.want, c.cause) })
		})
	}
}

// escalates takes the steps, the first a nanosecond after the beginning.
func escalates(t *testing.T, p *policy.Policy, steps []func(*Ending), want string, cause order.Cause) {
	var e Ending
	f := &fake{}
	e.Begin(f, p)
	testbed.Pass(1)
	var at moment
	e.Timer = &at
	for _, do := range steps {
		do(&e)
	}
	if next := e.Next(); !next.Equal(time.Time(at)) {
		t.Errorf("the timer is set to %v, and the next step is at %v", time.Time(at), next)
	}
	if got := strings.Join(f.log, ", "); got != want || e.Cause != cause {
		t.Errorf("%q by %q, want %q by %q", got, e.Cause, want, cause)
	}
	if e.Killed != 3*strings.Count(strings.Join(f.log, " "), "kill") {
		t.Errorf("%d were killed", e.Killed)
	}
}

func TestEarliestKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := Ending{policy: &policy.Policy{}, server: &fake{}}
		for _, grace := range []time.Duration{30, 50, 10, 20} {
			e.Ask(syscall.SIGTERM, grace*time.Second)
		}
		if left := time.Until(e.KillAt); left != 10*time.Second {
			t.Errorf("%s are left, want the earliest", left)
		}
	})
}

func TestNoLimit(t *testing.T) {
	var e Ending
	e.Begin(&fake{}, &policy.Policy{Limits: policy.Limits{Timeout: policy.Unlimited}})
	if !e.TimeoutAt.IsZero() {
		t.Error("unlimited is limited")
	}
}
