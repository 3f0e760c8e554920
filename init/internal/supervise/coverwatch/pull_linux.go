package coverwatch

import (
	"iter"
	"sync"
)

// pull is [iter.Pull] for a caller that is locked to a thread, and to another one in its next turn, which a coroutine
// of the runtime's does not survive. The sequence runs in a goroutine of its own, while the caller waits. A sequence
// that panics does so in the caller.
func pull[V any](seq iter.Seq[V]) (next func() (V, bool), stop func()) {
	type step struct {
		value V
		more  bool
		fault any
	}
	resume, steps := make(chan bool), make(chan step)
	run := func() {
		defer close(steps)
		defer func() {
			if fault := recover(); fault != nil {
				steps <- step{fault: fault}
			}
		}()
		if <-resume {
			seq(func(v V) bool {
				steps <- step{value: v, more: true}
				return <-resume
			})
		}
	}
	var begin sync.Once
	ended := false
	turn := func(goOn bool) (none V, more bool) {
		begin.Do(func() { go run() })
		if ended {
			return none, false
		}
		resume <- goOn
		s := <-steps // closed at the end
		if ended = !s.more; s.fault != nil {
			panic(s.fault)
		}
		return s.value, s.more
	}
	return func() (V, bool) { return turn(true) }, func() { turn(false) }
}
