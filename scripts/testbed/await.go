package testbed

import (
	"testing"
	"testing/synctest"
	"time"
)

// Await waits until something is so. After [Patience] the test ends, with the name of the event that did not come. No
// other test code asks a clock when to go on.
func Await(tb testing.TB, event string, is func() bool) {
	tb.Helper()
	if !Comes(is) {
		tb.Fatalf("after %v: %s did not come", Patience(), event)
	}
}

// Comes waits until something is so, and reports whether that came before [Patience] was over.
func Comes(is func() bool) bool {
	for until, pause := time.Now().Add(Patience()), 100*time.Microsecond; !is(); time.Sleep(pause) {
		if time.Now().After(until) {
			return false
		}
		pause = min(2*pause, 10*time.Millisecond)
	}
	return true
}

// Pass lets time pass in a bubble of [synctest], whose clock is the test's own, and panics elsewhere. What was due by
// then has been done.
func Pass(d time.Duration) {
	synctest.Wait()
	time.Sleep(d)
	synctest.Wait()
}

// Receive waits for what a channel hands over, or for its end. After [Patience] the test ends, with the name of the
// event that did not come.
func Receive[T any](tb testing.TB, event string, from <-chan T) T {
	tb.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(Patience()):
		tb.Fatalf("after %v: %s did not come", Patience(), event)
		panic("unreachable")
	}
}

// Moment lets i of n parts of a span go by, for a test that acts at each moment of something. Any moment is fine, no
// result depends on it.
func Moment(i, n int, whole time.Duration) { time.Sleep(whole * time.Duration(i) / time.Duration(n)) }

// Span lets time go by where that is what a test is about: somebody who is slow, or who has nothing to do meanwhile. A
// longer one changes no result.
func Span(long time.Duration) { time.Sleep(long) }
