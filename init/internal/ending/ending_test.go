package ending

import (
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
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

func TestLeft(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name     string
		end      Ending
		low, top int
	}{
		{"nothing is due", Ending{}, -1, -1},
		{"the past", Ending{KillAt: now.Add(-time.Hour)}, 1, 1},
		{"the nearest counts", Ending{TimeoutAt: now.Add(time.Hour), StdinAt: now.Add(2 * time.Hour), SessionAt: now.Add(90 * time.Minute)}, 3590e3, 3600e3 + 1},
		{"no more than a day", Ending{TimeoutAt: now.Add(1000 * time.Hour)}, 24 * 3600e3, 24*3600e3 + 1},
	} {
		if got := c.end.Left(); got < c.low || got > c.top {
			t.Errorf("%s: %d ms, want %d to %d", c.name, got, c.low, c.top)
		}
	}
}

func TestDue(t *testing.T) {
	now := time.Now()
	never, past, later := time.Time{}, now.Add(-time.Second), now.Add(time.Second)
	if Due(&never, now) || Due(&later, now) || !Due(&past, now) {
		t.Error("due is what has passed, and nothing else")
	}
	if Due(&past, now) {
		t.Error("due twice")
	}
}

func TestKillBy(t *testing.T) {
	now := time.Now()
	var e Ending
	for _, at := range []time.Duration{3, 5, 1, 2} {
		e.KillBy(now.Add(at * time.Second))
	}
	if want := now.Add(time.Second); !e.KillAt.Equal(want) {
		t.Errorf("at %v, want the earliest, %v", e.KillAt, want)
	}
	e.Limit(policy.Unlimited)
	if !e.TimeoutAt.IsZero() {
		t.Error("unlimited is limited")
	}
}
