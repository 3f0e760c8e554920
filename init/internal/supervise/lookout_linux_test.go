package supervise_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The lookout costs nothing where there is nothing to cover, and no time while nothing happens.
func TestLookoutIsIdle(t *testing.T) {
	for doc, watches := range map[string]bool{masked: true, `{"version":1,"filesystem":{"allowRead":["STAGE/read"]}}`: false} {
		st := build(t, "/var/tmp")
		s := st.subject(t, doc, func(l *launch) { l.Command = []string{"/bin/sleep", "60"} })
		dir := "/proc/" + strconv.Itoa(s.cmd.Process.Pid)
		time.Sleep(200 * time.Millisecond)
		found := false
		entries, err := os.ReadDir(dir + "/fd")
		for _, e := range entries {
			to, _ := os.Readlink(dir + "/fd/" + e.Name())
			found = found || strings.HasSuffix(to, "/mountinfo")
		}
		status := func() string {
			b, _ := os.ReadFile(dir + "/status")
			return fields(string(b))["voluntary_ctxt_switches"]
		}
		before := status()
		time.Sleep(500 * time.Millisecond)
		if after := status(); err != nil || found != watches || before == "" || before != after {
			t.Errorf("%s: %v, watches %v, woke from %q to %q", doc, err, found, before, after)
		}
		s.cmd.Process.Signal(unix.SIGKILL)
		s.end()
	}
}
