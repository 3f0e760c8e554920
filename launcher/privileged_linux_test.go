package launcher_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// privilegedHost is argument 0 of this test binary when it is a host that runs with its file's rights.
const privilegedHost = "launcher.test privileged"

// TestAsPrivilegedHost is such a host: it prints what every entry of the launcher says.
func TestAsPrivilegedHost(t *testing.T) {
	if os.Args[0] != privilegedHost {
		t.Skip("TestPrivilegedHost starts this one")
	}
	_, err := launcher.Command(t.Context(), policy.Policy{}, launcher.Target{Path: "/bin/true", Dir: "/"})
	_, probed := launcher.Probe(t.Context())
	for _, err := range []error{err, probed} {
		var e *launcher.Error
		fmt.Println(errors.As(err, &e) && e.Layer == order.Policy, err)
	}
}

// Whoever starts a host with rights of its file's would choose what is launched: nothing is, and the host is told so
// before there is a command.
func TestPrivilegedHost(t *testing.T) {
	copies := testbed.Privileged(t)
	said := func(binary string) string {
		cmd := exec.Command(binary)
		cmd.Args, cmd.Dir, cmd.Env = []string{privilegedHost, "-test.run=^TestAsPrivilegedHost$"}, "/", append(os.Environ(), testbed.NoWait)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: testbed.Ordinary, Gid: testbed.Ordinary}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := said(testbed.Copy(t, 0o755)); !strings.HasPrefix(out, "false <nil>\nfalse <nil>\n") {
		t.Errorf("without rights: %s", out)
	}
	for name, binary := range copies {
		if out := said(binary); strings.Count(out, "true policy: launch: ") != 2 || strings.Count(out, "rights") != 2 {
			t.Errorf("%s: %s", name, out)
		}
	}
}
