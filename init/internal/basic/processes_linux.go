package basic

import (
	"errors"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// Linux has a shim of its own, in package supervise. What is here is for the tests, which run the part for macOS.

const rssUnit = 1 << 10

func processes() (table []process, err error) {
	for _, p := range proctree.Table() {
		table = append(table, process{pid: p.PID, parent: p.Parent, born: int64(p.Start), dead: p.Dead()})
	}
	return table, nil
}

func processesOf(int) (int, error) { return 0, errors.ErrUnsupported }

// forks looks every few milliseconds: what tells of forks on Linux is not for users.
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

func kernel() string {
	release, err := platform.Kernel()
	if err != nil {
		return ""
	}
	return release
}
