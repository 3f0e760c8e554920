package testbed

import "testing"

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
