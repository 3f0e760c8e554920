package loop

import (
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ready is a pipe that can be read from for ever.
func ready(t *testing.T) int {
	t.Helper()
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(p[0]); unix.Close(p[1]) })
	unix.Write(p[1], []byte{0})
	return p[0]
}

// Sources that are always ready starve neither each other nor a timer.
func TestNoneStarves(t *testing.T) {
	var l Loop
	var called [3]int
	for i := range called {
		l.Add(ready(t), unix.POLLIN, func(int16) { called[i]++ })
	}
	l.Timer(l.End).Set(time.Now().Add(20 * time.Millisecond))
	if err := l.Run(); err != nil {
		t.Fatal(err)
	}
	if called[0] == 0 || slices.Min(called[:]) != slices.Max(called[:]) {
		t.Errorf("sources were called %v times", called)
	}
}

// What is called may remove, add, or redirect another source: none is called for a descriptor that it no longer waits for.
func TestChanges(t *testing.T) {
	var l Loop
	var removed *Source
	turns := 0
	l.Add(ready(t), unix.POLLIN, func(int16) {
		if removed.Remove(); turns == 0 {
			l.Add(ready(t), unix.POLLIN, func(int16) { l.End() })
		}
		turns++
	})
	removed = l.Add(ready(t), unix.POLLIN, func(int16) { t.Error("a removed source was called") })
	l.Add(-1, unix.POLLIN, func(int16) { t.Error("a source without a descriptor was called") })
	if err := l.Run(); err != nil || turns != 2 {
		t.Errorf("%v, %d turns, want 2", err, turns)
	}
}

// Nothing is called once the loop has ended.
func TestEnd(t *testing.T) {
	var l Loop
	l.Add(ready(t), unix.POLLIN, func(int16) { l.End() })
	l.Add(ready(t), unix.POLLIN, func(int16) { t.Error("a source was called after the end") })
	l.Timer(func() { t.Error("a timer was called after the end") }).Set(time.Now())
	if err := l.Run(); err != nil {
		t.Fatal(err)
	}
}

// A timer is called once for each time that it is set to; one that is stopped is not.
func TestTimer(t *testing.T) {
	var l Loop
	n := 0
	var again, stopped *Timer
	end := l.Timer(l.End)
	again = l.Timer(func() {
		stopped.Set(time.Time{})
		if n++; n < 3 {
			again.Set(time.Now().Add(time.Millisecond))
			return
		}
		end.Set(time.Now().Add(80 * time.Millisecond))
	})
	stopped = l.Timer(func() { t.Error("a stopped timer was called") })
	again.Set(time.Now())
	stopped.Set(time.Now().Add(40 * time.Millisecond))
	if err := l.Run(); err != nil || n != 3 || again.IsSet() {
		t.Errorf("%v, called %d times, want 3; set %v", err, n, again.IsSet())
	}
}

func TestTimeout(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name     string
		at       []time.Time
		low, top int
	}{
		{"none", []time.Time{{}}, -1, -1},
		{"past", []time.Time{now.Add(-time.Hour)}, 1, 1},
		{"the nearest", []time.Time{now.Add(time.Hour), {}, now.Add(time.Minute)}, 50e3, 60e3 + 1},
		{"more than 32 bits", []time.Time{now.Add(1e6 * time.Hour)}, 86399e3, 86400e3 + 1},
	} {
		var l Loop
		for _, at := range c.at {
			l.Timer(nil).Set(at)
		}
		if got := l.timeout(); got < c.low || got > c.top {
			t.Errorf("%s: %d, want %d to %d", c.name, got, c.low, c.top)
		}
	}
}

// Loops run side by side in one process.
func TestSideBySide(t *testing.T) {
	var all sync.WaitGroup
	for range 20 {
		fd := ready(t)
		all.Go(func() {
			var l Loop
			n := 0
			l.Add(fd, unix.POLLIN, func(int16) {
				if n++; n == 100 {
					l.End()
				}
			})
			if err := l.Run(); err != nil || n != 100 {
				t.Errorf("%v, %d calls", err, n)
			}
		})
	}
	all.Wait()
}
