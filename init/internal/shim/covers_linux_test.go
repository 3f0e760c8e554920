package shim_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The cover watcher costs nothing where there is nothing to cover, and no time while nothing happens.
func TestCoverWatcherIsIdle(t *testing.T) {
	for doc, watches := range map[string]bool{masked: true, `{"version":1,"filesystem":{"allowRead":["STAGE/read"]}}`: false} {
		st := build(t, "/var/tmp")
		s := st.subject(t, doc, func(l *launch) { l.Command = []string{"/bin/sleep", "600"} })
		dir := "/proc/" + strconv.Itoa(s.cmd.Process.Pid)
		status := func() string {
			b, _ := os.ReadFile(dir + "/status")
			return fields(string(b))["voluntary_ctxt_switches"]
		}
		before, after := "", status()
		for range 20 { // until what a launch leaves to do is done
			time.Sleep(500 * time.Millisecond)
			if before, after = after, status(); before == after {
				break
			}
		}
		found := false
		entries, err := os.ReadDir(dir + "/fd")
		for _, e := range entries {
			to, _ := os.Readlink(dir + "/fd/" + e.Name())
			found = found || strings.HasSuffix(to, "/mountinfo")
		}
		if err != nil || found != watches || before == "" || before != after {
			t.Errorf("%s: %v, watches %v, woke from %q to %q", doc, err, found, before, after)
		}
		s.cmd.Process.Signal(unix.SIGKILL)
		s.end()
	}
}

// shimStopped waits until every thread of the shim has taken its stop.
func (s *subject) shimStopped() {
	s.Helper()
	dir := "/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/task/"
	for range 20000 {
		tasks, err := os.ReadDir(dir)
		going := slices.ContainsFunc(tasks, func(task os.DirEntry) bool {
			b, err := os.ReadFile(dir + task.Name() + "/status")
			return err != nil || !strings.HasPrefix(fields(string(b))["State"], "T ")
		})
		if err == nil && !going {
			return
		}
		time.Sleep(time.Millisecond)
	}
	s.Fatal("the shim goes on")
}
