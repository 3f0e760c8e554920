package shim_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A launch whose grant leads to a file system that does not answer is refused, with the path: when the time of a launch
// is over, or at once by a signal. With one that answers it is no different from others.
func TestNoAnswer(t *testing.T) {
	if !testbed.OwnMounts(t) {
		return
	}
	grant := testbed.Folder(t)
	at := grant + "/fu"
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	l := launch{Launch: host.Launch{Policy: `{"version":1,"filesystem":{"allowRead":[` + strconv.Quote(grant) + `]}}`,
		Command: []string{"/bin/true"}}}
	l.Prepare = func(cmd *exec.Cmd) { cmd.SysProcAttr.Credential = nil } // a user namespace of one user has no groups
	for _, c := range []struct {
		daemon testbed.Daemon
		signal bool
		code   int
		layer  string
	}{
		{testbed.Answers, false, 0, ""},
		{testbed.Stopped, false, 125, "root"},
		{testbed.Deserted, false, 125, "root"},
		{testbed.Stopped, true, 128 + 15, "exec"},
		{testbed.Deserted, true, 128 + 15, "exec"},
	} {
		end := testbed.Fuse(t, at, c.daemon)
		if l.Timeout = time.Hour; c.daemon != testbed.Answers && !c.signal {
			l.Timeout = 50 * time.Millisecond
		}
		cmd, _, done := altered.Start(t, l, nil)
		if c.signal {
			testbed.Await(t, "a process that looks", func() bool { return len(testbed.Children(cmd.Process.Pid)) > 0 })
			cmd.Process.Signal(syscall.SIGTERM)
		}
		o := done()
		if o.Code != c.code {
			t.Errorf("%+v: code %d\n%s", c, o.Code, o.Stderr)
		}
		if r := o.Report[0]; c.layer != "" && (r["event"] != "refused" || r["layer"] != c.layer || r["op"] != "look at" || r["path"] != at ||
			!strings.Contains(o.Stderr, "umount -l "+at+"`")) {
			t.Errorf("%+v: %v\n%s", c, r, o.Stderr)
		}
		end()
	}
}
