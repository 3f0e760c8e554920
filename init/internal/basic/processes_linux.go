package basic

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// Linux has a shim of its own, in package supervise. What is here is for the tests, which run the part for macOS.

const rssUnit = 1 << 10

func processes() ([]process, error) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	var table []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		b, err := platform.ReadSmall("/proc/"+name+"/stat", 4096)
		if err != nil {
			continue // it has ended
		}
		state, parent, ok := platform.ParseStat(b)
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if !ok || len(f) < 20 {
			continue
		}
		threads, _ := platform.ParseThreads(b)     // of more than one the first may have ended alone
		born, _ := strconv.ParseInt(f[19], 10, 64) // field 22 of proc_pid_stat(5)
		table = append(table, process{pid: pid, parent: parent, born: born, dead: threads < 2 && (state == 'Z' || state == 'X')})
	}
	return table, err
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
