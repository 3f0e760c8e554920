package loop

import "golang.org/x/sys/unix"

// A Set is descriptors that come and go by the hundred: one epoll(7) descriptor waits for all of them, and poll(2) of
// the loop waits for that one. A Set has no loop until [Set.Register]; without one its owner polls [Set.FD] and calls
// [Set.Serve].
//
// Members are called as sources are: once in each turn at most, for a bounded piece of work.
type Set struct {
	fd      int
	members map[int32]*Member
	events  [256]unix.EpollEvent
}

// A Member is one descriptor of a set. A nil Member is none: its methods do nothing.
type Member struct {
	set   *Set
	fd    int
	ready func(events uint32)
}

// NewSet makes an empty set.
func NewSet() (*Set, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &Set{fd: fd, members: map[int32]*Member{}}, nil
}

// FD is ready for reading when a member is ready.
func (s *Set) FD() int { return s.fd }

// Add waits for events of a descriptor: EPOLLIN, EPOLLOUT and EPOLLET of epoll_ctl(2), as EPOLLERR and EPOLLHUP are
// waited for anyway.
func (s *Set) Add(fd int, events uint32, ready func(events uint32)) (*Member, error) {
	e := unix.EpollEvent{Events: events, Fd: int32(fd)}
	if err := unix.EpollCtl(s.fd, unix.EPOLL_CTL_ADD, fd, &e); err != nil {
		return nil, err
	}
	m := &Member{s, fd, ready}
	s.members[int32(fd)] = m
	return m, nil
}

// Wait changes the events that the member waits for.
func (m *Member) Wait(events uint32) error {
	if m == nil || m.set.members[int32(m.fd)] != m {
		return nil
	}
	return unix.EpollCtl(m.set.fd, unix.EPOLL_CTL_MOD, m.fd, &unix.EpollEvent{Events: events, Fd: int32(m.fd)})
}

// Remove makes the member wait for nothing more. It comes before the descriptor is closed, which stays open.
func (m *Member) Remove() {
	if m == nil || m.set.members[int32(m.fd)] != m {
		return
	}
	delete(m.set.members, int32(m.fd))
	unix.EpollCtl(m.set.fd, unix.EPOLL_CTL_DEL, m.fd, nil)
}

// Register has a loop serve the set.
func (s *Set) Register(l *Loop) { l.Add(s.fd, unix.POLLIN, func(int16) { s.Serve() }) }

// Serve calls each member that is ready now, once.
func (s *Set) Serve() {
	n, err := unix.EpollWait(s.fd, s.events[:], 0)
	if err != nil {
		return // EINTR: the next turn
	}
	// A member that was called before may have removed another, and a new member may have its number: an event is for
	// the member that had the number at epoll_wait(2) alone.
	var ready [len(s.events)]*Member
	for i, e := range s.events[:n] {
		ready[i] = s.members[e.Fd]
	}
	for i, e := range s.events[:n] {
		if m := ready[i]; m != nil && s.members[e.Fd] == m {
			m.ready(e.Events)
		}
	}
}

// Close closes the epoll descriptor. The members' descriptors stay open.
func (s *Set) Close() {
	if s != nil && s.fd >= 0 {
		unix.Close(s.fd)
		s.fd, s.members = -1, nil
	}
}
