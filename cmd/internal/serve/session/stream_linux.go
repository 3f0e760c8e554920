package session

import (
	"context"
	"maps"
	"slices"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
)

// How much waits for slow clients. A message that is longer passes alone.
const (
	streamBytes  = 8 << 20
	sandboxBytes = 16 << 20
	waitingBytes = 1 << 20 // for a GET
	waitingMost  = 64
)

// A Stream carries a server's messages to one HTTP answer. One goroutine takes them.
type Stream struct {
	flow  *flow
	ready chan struct{} // has an element when something is to be taken

	// of the session's lock
	queue [][]byte
	bytes int
	ended bool // nothing follows what is queued
}

// stream makes a stream that is open.
func (s *flow) stream() *Stream {
	st := &Stream{flow: s, ready: make(chan struct{}, 1)}
	s.open[st] = true
	s.house.journal.Add(journal.Streams, "", 1)
	return st
}

// Ready has an element when Take returns something new.
func (st *Stream) Ready() <-chan struct{} { return st.ready }

// Take returns the next message, nil where there is none yet, and whether none follows it.
func (st *Stream) Take() (message []byte, ended bool) {
	st.flow.mu.Lock()
	defer st.flow.mu.Unlock()
	if len(st.queue) > 0 {
		message = st.queue[0]
		st.queue[0] = nil
		st.queue = st.queue[1:]
		st.bytes -= len(message)
		signal(st.flow.room)
	}
	return message, st.ended && len(st.queue) == 0
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// add queues a message, nil for none.
func (st *Stream) add(message []byte, last bool) {
	if st.ended {
		return
	}
	if message != nil {
		st.queue = append(st.queue, message)
		st.bytes += len(message)
	}
	st.ended = last
	signal(st.ready)
}

// cut ends a stream, and drops its messages.
func (st *Stream) cut() {
	st.queue, st.bytes = nil, 0
	st.add(nil, true)
	signal(st.flow.room)
}

// close forgets a stream without a reader.
func (s *flow) close(st *Stream) {
	if s.open[st] {
		st.cut()
		delete(s.open, st)
		s.house.journal.Add(journal.Streams, "", -1)
		s.touch()
	}
}

// push queues a message of the server's once there is room, which its reader waits for: meanwhile the server is read no
// further. After a while the stream that holds most is cut.
func (s *flow) push(st *Stream, message []byte, last bool) {
	ctx, stop := context.WithTimeout(context.Background(), s.house.limits.Slow)
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for asked := s.box.asked; !st.ended && st.full(len(message)); {
		s.mu.Unlock()
		late := false
		select {
		case <-s.room:
		case <-asked:
			asked, late = nil, s.box.why != "" // of a server that has ended the last words count
		case <-ctx.Done():
			late = true
		}
		s.mu.Lock()
		if all := slices.Collect(maps.Keys(s.open)); late && len(all) > 0 {
			slices.MaxFunc(all, func(a, b *Stream) int { return a.bytes - b.bytes }).cut()
		}
	}
	st.add(message, last)
}

// full reports whether a message has to wait.
func (st *Stream) full(size int) bool {
	all := 0
	for other := range st.flow.open {
		all += other.bytes
	}
	return st.bytes > 0 && st.bytes+size > streamBytes || all > 0 && all+size > sandboxBytes
}

// wait keeps a message for the next GET, in place of the oldest ones.
func (s *flow) wait(message []byte) {
	s.waiting = append(s.waiting, message)
	size := 0
	for i := len(s.waiting) - 1; i >= 0; i-- {
		if size += len(s.waiting[i]); size > waitingBytes || len(s.waiting)-i > waitingMost {
			s.house.journal.Add(journal.Dropped, "", float64(i+1))
			s.waiting = append([][]byte{}, s.waiting[i+1:]...)
			return
		}
	}
}
