package endings_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Programs that do nothing but fork are ended in their time without a pid namespace as well, though nothing limits their
// number but a limit of the user's that the test sets: in one process group, and each in a session of its own.
func TestForkBombShared(t *testing.T) {
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		t.Fatal("no prlimit (util-linux): ", err)
	}
	const (
		most    = 600 // whatever else this user runs counts as well
		allowed = time.Second
		soon    = time.Minute // with hundreds at work on the same processors

		oneGroup = `b() { b & b & wait; }; (while :; do b; done) & `
		sessions = `export s='while :; do setsid sh -c "$s" & setsid sh -c "$s" & wait; done'; sh -c "$s" & `
	)
	bound := "--nproc=" + strconv.Itoa(most) + ":" + strconv.Itoa(most)
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
			l := launch{Begin: c.confinement, Through: []string{prlimit, bound},
				Command: []string{"/bin/sh", "-c", "exec 2>/dev/null; " + c.bomb + "echo ready; exec sleep 100"}}
			sometimes(t, func() error {
				run := start(t, l, `"limits":{"timeout":"`+allowed.String()+`","grace":"100ms"}`, false)
				said := run.next()
				code, x := run.end()
				if strings.Contains(run.stderr.String(), unix.EAGAIN.Error()) || strings.Contains(run.stderr.String(), "Resource temporarily unavailable") {
					return errors.New("the limit, which is the user's, left the launcher no thread") // Go's runtime ends a program for that
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
