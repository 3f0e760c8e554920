package testbed

import (
	"testing"
	"testing/synctest"
	"time"
)

// ended is a test that Fatalf ends.
type ended struct {
	testing.TB
	said string
}

func (e *ended) Helper() {}
func (e *ended) Fatalf(_ string, words ...any) {
	e.said, _ = words[1].(string)
	panic(e)
}

// says is the event for which a test ended; "" if it went on.
func says(f func(tb testing.TB)) string {
	e := &ended{}
	func() {
		defer func() { _ = recover() }()
		f(e)
	}()
	return e.said
}

// A test goes on with the event, and else ends by the event's name.
func TestAwait(t *testing.T) {
	t.Setenv("MCP_SANDBOX_PATIENCE", "30ms")
	closed, one, never := make(chan int), make(chan int, 1), make(chan int)
	close(closed)
	one <- 7
	n := 0
	for name, c := range map[string]struct {
		act  func(tb testing.TB)
		want string
	}{
		"so at once":   {func(tb testing.TB) { Await(tb, "it", func() bool { return true }) }, ""},
		"so the third": {func(tb testing.TB) { Await(tb, "it", func() bool { n++; return n == 3 }) }, ""},
		"never so":     {func(tb testing.TB) { Await(tb, "the end", func() bool { return false }) }, "the end"},
		"a value": {func(tb testing.TB) {
			if Receive(tb, "it", one) != 7 {
				tb.Fatalf("%v: %s", 0, "the value")
			}
		}, ""},
		"a channel ends": {func(tb testing.TB) { Receive(tb, "it", closed) }, ""},
		"no value":       {func(tb testing.TB) { Receive(tb, "a line", never) }, "a line"},
	} {
		if got := says(c.act); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// In a bubble time passes at once, and what was due has been done; elsewhere it does not pass.
func TestPass(t *testing.T) {
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		due, from := false, time.Now()
		time.AfterFunc(time.Hour, func() { due = true })
		if Pass(time.Hour - 1); due {
			t.Error("done before its time")
		}
		if Pass(1); !due || time.Since(from) != time.Hour {
			t.Errorf("done %v after %v", due, time.Since(from))
		}
	})
	if time.Since(began) > time.Hour/2 {
		t.Error("a bubble's hour is an hour")
	}
	defer func() {
		if recover() == nil {
			t.Error("outside of a bubble time was let pass")
		}
	}()
	Pass(0)
}
