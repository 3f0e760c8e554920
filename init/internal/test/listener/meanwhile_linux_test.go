package listener_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// command is this binary as a server.
func command(t *testing.T, does string, args ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{self, serverIs, does}, args...)
}

// A denied file that the host replaces is covered again while threads wait for answers. The server reads the file
// when the last one is covered.
func TestCoverInFlood(t *testing.T) {
	t.Parallel()
	dir := testbed.Folder(t)
	secret := filepath.Join(dir, "secret")
	replace := func() {
		if err := os.WriteFile(secret+".new", []byte("secret"), 0o644); err != nil {
			t.Error(err)
		}
		if err := os.Rename(secret+".new", secret); err != nil {
			t.Error(err)
		}
	}
	replace()
	doc := fmt.Sprintf(`{"version":1,"filesystem":{"allowRead":[%q],"denyRead":[%q]},"limits":{"grace":"2m"}}`, dir, secret)
	o := start(t, shimName, doc, command(t, "flood-and-read", secret), func(_, server int, _ io.Writer) {
		for i := range 5 { // for most of 3000 calls a thread sleeps, for some the answer is quicker
			testbed.Await(t, "so many calls", func() bool { return testbed.Sleeps(server) >= 300*(i+1) })
			replace()
			testbed.Await(t, "the cover", func() bool { return host.Mounted(server, secret) })
		}
	})
	if o.Code != 0 || o.Exited.Cause != order.CauseExit || o.Stdout.String() != "map[EPERM:3000]\ntrue\n" {
		t.Errorf("code %d, %s, %q\n%s", o.Code, o.Exited.Cause, o.Stdout.String(), o.Stderr.String())
	}
}

// While the shim is stopped, calls that are told wait; no answer is another one, and when it goes on they get theirs.
func TestStoppedShim(t *testing.T) {
	t.Parallel()
	o := start(t, shimName, `{"version":1,"onStdinClose":"ignore"}`, command(t, "interrupted-flood", "1200", "2"), func(shim, server int, in io.Writer) {
		testbed.Await(t, "the server's program", func() bool {
			b, _ := os.ReadFile("/proc/" + strconv.Itoa(server) + "/cmdline")
			return strings.Contains(string(b), "\x00"+serverIs+"\x00")
		})
		if err := unix.Kill(shim, unix.SIGSTOP); err != nil {
			t.Error(err)
		}
		testbed.Await(t, "the shim's stop", func() bool { return testbed.State(shim) == "T" })
		before := testbed.Sleeps(server)
		in.Write([]byte("\n"))
		testbed.Await(t, "calls that are taken back and made again", func() bool { return testbed.Sleeps(server) >= before+50 })
		if state := testbed.State(server); state == "" || state == "Z" {
			t.Error("the server has all its answers")
		}
		if err := unix.Kill(shim, unix.SIGCONT); err != nil {
			t.Error(err)
		}
	})
	d := o.Exited.Denied
	if o.Code != 0 || o.Stdout.String() != "map[EPERM:1200]\n" || len(d) != 1 || d[0].Count < 1200 {
		t.Errorf("code %d, %q, %v\n%s", o.Code, o.Stdout.String(), d, o.Stderr.String())
	}
}
