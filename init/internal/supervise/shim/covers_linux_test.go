package shim_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The cover watcher costs nothing where there is nothing to cover, and no time while nothing happens.
func TestCoverWatcherIsIdle(t *testing.T) {
	for doc, watches := range map[string]bool{masked: true, `{"version":1,"filesystem":{"allowRead":["STAGE/read"]}}`: false} {
		st := build(t, "/var/tmp")
		s := st.subject(t, doc, func(l *launch) { l.Command = []string{"/bin/sleep", "600"} })
		dir := "/proc/" + strconv.Itoa(s.cmd.Process.Pid)
		s.shimIdle() // what a launch leaves to do gets done
		found := false
		entries, err := os.ReadDir(dir + "/fd")
		for _, e := range entries {
			to, _ := os.Readlink(dir + "/fd/" + e.Name())
			found = found || strings.HasSuffix(to, "/mountinfo")
		}
		if err != nil || found != watches {
			t.Errorf("%s: %v, watches %v", doc, err, found)
		}
		s.cmd.Process.Signal(unix.SIGKILL)
		s.end()
	}
}

// shimIdle waits until the shim has slept without a break for a while.
func (s *subject) shimIdle() {
	s.Helper()
	testbed.Await(s, "a shim that sleeps on", func() bool {
		before := testbed.Sleeps(s.cmd.Process.Pid)
		testbed.Span(500 * time.Millisecond)
		return before > 0 && before == testbed.Sleeps(s.cmd.Process.Pid)
	})
}

// shimStopped waits until every thread of the shim has taken its stop.
func (s *subject) shimStopped() {
	s.Helper()
	dir := "/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/task/"
	testbed.Await(s, "the stop of the shim", func() bool {
		tasks, err := os.ReadDir(dir)
		going := slices.ContainsFunc(tasks, func(task os.DirEntry) bool {
			b, err := os.ReadFile(dir + task.Name() + "/status")
			return err != nil || !strings.HasPrefix(fields(string(b))["State"], "T ")
		})
		return err == nil && !going
	})
}
