package loop

import (
	"testing"

	"golang.org/x/sys/unix"
)

func newSet(t *testing.T) *Set {
	t.Helper()
	s, err := NewSet()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func add(t *testing.T, s *Set, fd int, ready func(uint32)) *Member {
	t.Helper()
	m, err := s.Add(fd, unix.EPOLLIN, ready)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// More members than one epoll_wait(2) tells of starve neither each other nor a source of the loop.
func TestSetStarvesNone(t *testing.T) {
	var l Loop
	s := newSet(t)
	var called [300]int
	for i := range called {
		add(t, s, ready(t), func(uint32) { called[i]++ })
	}
	s.Register(&l)
	turns := 0
	l.Add(ready(t), unix.POLLIN, func(int16) {
		if turns++; turns == 20 {
			l.End()
		}
	})
	if err := l.Run(); err != nil {
		t.Fatal(err)
	}
	for i, n := range called {
		if n < 10 || n > 20 {
			t.Fatalf("member %d was called %d times in 20 turns", i, n)
		}
	}
}

// A member that another removes in the same turn is not called, nor is a new member of the same number for its event.
func TestSetChanges(t *testing.T) {
	s := newSet(t)
	var members [2]*Member
	calls := 0
	for i := range members {
		members[i] = add(t, s, ready(t), func(uint32) {
			calls++
			other := members[1-i]
			other.Remove()
			members[1-i] = add(t, s, other.fd, func(uint32) { t.Error("called for another's event") })
		})
	}
	s.Serve()
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
	members[0].Remove()
	members[0].Remove() // does nothing
	members[1].Remove()
	s.Serve()
	if calls != 1 {
		t.Errorf("%d calls after all were removed", calls)
	}
}

// Wait changes what a member waits for; of a removed one it changes nothing.
func TestSetWait(t *testing.T) {
	s := newSet(t)
	calls := 0
	m := add(t, s, ready(t), func(uint32) { calls++ })
	if err := m.Wait(0); err != nil {
		t.Fatal(err)
	}
	s.Serve()
	if calls != 0 {
		t.Error("called while it waits for nothing")
	}
	if err := m.Wait(unix.EPOLLIN); err != nil {
		t.Fatal(err)
	}
	s.Serve()
	m.Remove()
	if err := m.Wait(unix.EPOLLIN); err != nil {
		t.Fatal(err)
	}
	s.Serve()
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
}
