package endings_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Programs that do nothing but fork are ended in their time without a pid namespace as well: in one process group,
// and each in a session of its own. Nothing limits their number but a limit that the test sets for the server alone:
// the launcher has room for its threads, without which Go's runtime ends it.
func TestForkBombShared(t *testing.T) {
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		t.Fatal("no prlimit (util-linux): ", err)
	}
	const (
		most    = 600 // beyond what the user runs already
		allowed = time.Second
		soon    = time.Minute // with hundreds at work on the same processors

		oneGroup = `b() { b & b & wait; }; (while :; do b; done) & `
		sessions = `export s='while :; do setsid sh -c "$s" & setsid sh -c "$s" & wait; done'; sh -c "$s" & `
	)
	for _, c := range []struct {
		confinement policy.Confinement
		name, bomb  string
	}{
		{policy.Reduced, "one group", oneGroup},
		{policy.Reduced, "sessions", sessions},
		{policy.ConfinementLimits, "one group", oneGroup},
	} {
		if c.bomb == sessions && os.Getenv("MCP_SANDBOX_STRESS") == "" {
			continue // it takes the processors from every other test for a quarter of a minute
		}
		t.Run(string(c.confinement)+"/"+c.name, func(t *testing.T) {
			sometimes(t, func() error {
				bound := strconv.Itoa(threadsOf(t, os.Getuid()) + most)
				l := launch{Launch: host.Launch{Begin: string(c.confinement), Command: []string{prlimit, "--nproc=" + bound, "/bin/sh", "-c",
					"exec 2>/dev/null; " + c.bomb + "echo ready; exec sleep 100"}}}
				run := start(t, l, `"limits":{"timeout":"`+allowed.String()+`","grace":"100ms"}`, false)
				said := run.next()
				code, x := run.end()
				if said != "ready" && code == 2 {
					return errors.New("others of the user left the server's shell no process")
				}
				if code != 124 || x == nil || x.Cause != order.CauseTimeout {
					t.Errorf("code %d, %+v\n%s", code, x, run.stderr.String())
					return nil
				}
				took := time.Since(run.began) - allowed
				t.Logf("%v after its time", took)
				run.nobodyLeft()
				if said != "ready" || x.Killed < most/10 || took > soon {
					return fmt.Errorf("said %q, ended %v after its time: %+v", said, took, x)
				}
				return nil
			})
		})
	}
}

// threadsOf is how many threads a user has, which is what RLIMIT_NPROC counts.
func threadsOf(t *testing.T, uid int) (threads int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/task/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range all {
		var st unix.Stat_t
		if unix.Stat(task, &st) == nil && int(st.Uid) == uid {
			threads++
		}
	}
	return threads
}
