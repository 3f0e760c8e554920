package shim

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// turns are those launches of this process that make their sandboxes. More at once need more descriptors, and come no
// earlier.
var turns = make(chan struct{}, max(4, runtime.NumCPU()))

// turnMoved is when the last launch took a turn or gave one back, in nanoseconds.
var turnMoved atomic.Int64

// turnTimeout is how long launches that all stand still delay others.
const turnTimeout = time.Second

// mostTurn is how long a turn lasts: of a Start that fails nothing tells, and longer than others wait for all.
const mostTurn = 2 * turnTimeout

// takeTurn waits while many launches are being made, until over is closed. A turn can be given back more than once.
func takeTurn(over <-chan struct{}) (giveBack func()) {
	late := time.NewTimer(turnTimeout)
	defer late.Stop()
	for {
		select {
		case turns <- struct{}{}:
			turnMoved.Store(time.Now().UnixNano())
			giveBack = sync.OnceFunc(func() {
				<-turns
				turnMoved.Store(time.Now().UnixNano())
			})
			time.AfterFunc(mostTurn, giveBack)
			return giveBack
		case <-over:
			return func() {}
		case now := <-late.C:
			left := turnTimeout - time.Duration(now.UnixNano()-turnMoved.Load())
			if left <= 0 {
				return func() {}
			}
			late.Reset(left)
		}
	}
}
