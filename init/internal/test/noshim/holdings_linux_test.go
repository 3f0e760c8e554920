package noshim

import (
	"os"
	"runtime"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// holdings are what a launch could leave behind in its host.
type holdings struct {
	files                        map[string]int // open files by what they are
	goroutines, children, mounts int
}

func count() holdings {
	runtime.GC() // what belongs to a forgotten Cmd goes
	h := holdings{map[string]int{}, runtime.NumGoroutine(), len(testbed.Children(os.Getpid())), 0}
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			to, _, _ = strings.Cut(strings.TrimSuffix(to, " (deleted)"), ":[")
			h.files[to]++
		}
	}
	table, _ := os.ReadFile("/proc/self/mountinfo")
	h.mounts = strings.Count(string(table), "\n")
	return h
}

// settled are the holdings once they do not become fewer: what was before may not be quite over.
func settled() (h holdings) {
	h = count()
	same := 0
	testbed.Comes(func() bool {
		now := count()
		if same++; h.more(now) {
			h, same = now, 0
		}
		return same > 5
	})
	return h
}

func (h holdings) more(than holdings) bool {
	for what, n := range h.files {
		if n > than.files[what] {
			return true
		}
	}
	return h.goroutines > than.goroutines || h.children > than.children || h.mounts > than.mounts
}
