package loop

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Of two loops one function is called at a time; a call outside holds up only its own loop.
func TestBeside(t *testing.T) {
	var l Loop
	other, err := l.Beside()
	if err != nil {
		t.Fatal(err)
	}
	var within, overlaps atomic.Int32
	enter := func() {
		if within.Add(1) > 1 {
			overlaps.Add(1)
		}
		for range 1000 {
			_ = time.Now()
		}
		within.Add(-1)
	}
	var mine, theirs int
	l.Add(ready(t), unix.POLLIN, func(int16) {
		if enter(); theirs > 200 {
			l.End()
		}
	})
	other.Add(ready(t), unix.POLLIN, func(int16) { enter(); theirs++ })
	bounded(t, &l)
	if err := l.Run(); err != nil || overlaps.Load() > 0 || t.Failed() {
		t.Fatalf("%v, %d overlaps", err, overlaps.Load())
	}

	var again Loop
	if other, err = again.Beside(); err != nil {
		t.Fatal(err)
	}
	var inside atomic.Bool
	free, left := make(chan bool), make(chan bool)
	other.Add(ready(t), unix.POLLIN, func(int16) {
		other.Outside(func() { inside.Store(true); <-free; close(left) })
		panic("a call has returned from outside after the end")
	})
	again.Add(ready(t), unix.POLLIN, func(int16) {
		if mine++; mine >= 100 && inside.Load() {
			again.End()
		}
	})
	bounded(t, &again)
	if err := again.Run(); err != nil || mine < 100 {
		t.Errorf("%v, %d", err, mine)
	}
	close(free)
	<-left
	other.Outside(func() { // what is left to do is done by one thread, and lets no other in
		if other.turns.TryLock() {
			t.Error("the other loop may go on")
			other.turns.Unlock()
		}
	})
}

// bounded ends a loop whose other loop has no turn.
func bounded(t *testing.T, l *Loop) {
	t.Helper()
	l.Timer(func() {
		t.Error("the loop beside had no turn")
		l.End()
	}).Set(time.Now().Add(time.Minute))
}

// A timer that the loop beside sets ends the wait of a loop; outside of Run, and in no loop, Outside just calls.
func TestBesideSetsTimer(t *testing.T) {
	var l Loop
	other, err := l.Beside()
	if err != nil {
		t.Fatal(err)
	}
	called := 0
	for _, x := range []*Loop{nil, other, {}} {
		x.Outside(func() { called++ })
	}
	end := l.Timer(l.End)
	l.Timer(func() { t.Error("the loop was not roused") }).Set(time.Now().Add(time.Minute))
	other.Timer(func() { end.Set(time.Now()) }).Set(time.Now().Add(10 * time.Millisecond))
	began := time.Now()
	if err := l.Run(); err != nil || called != 3 || time.Since(began) > 30*time.Second {
		t.Errorf("%v, %d calls, %v", err, called, time.Since(began))
	}
}

// An error of the loop beside ends both.
func TestBesideFails(t *testing.T) {
	var l Loop
	other, err := l.Beside()
	if err != nil {
		t.Fatal(err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	for range limit.Cur + 1 { // poll(2): EINVAL
		other.Add(-1, 0, nil)
	}
	if err := l.Run(); !errors.Is(err, unix.EINVAL) {
		t.Errorf("%v", err)
	}
}
