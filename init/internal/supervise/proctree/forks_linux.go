package proctree

import "time"

// forks wakes every few milliseconds: users have no notification of forks on Linux, where only tests follow a [Tree].
type forks struct{ done chan struct{} }

func newForks() forks { return forks{make(chan struct{})} }

func (f forks) add([]int) {}

func (f forks) next() bool {
	select {
	case <-f.done:
		return false
	case <-time.After(5 * time.Millisecond):
		return true
	}
}

func (f forks) close() {
	if f.done != nil {
		close(f.done)
	}
}
