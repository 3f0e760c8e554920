package listener_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

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
	o := start(t, shimName, doc, command(t, "flood-and-read", secret), func(_, server int) {
		for range 5 {
			time.Sleep(500 * time.Millisecond)
			replace()
			covered(t, server, secret)
		}
	})
	if o.Code != 0 || o.Exited.Cause != order.CauseExit || o.Stdout.String() != "map[EPERM:3000]\ntrue\n" {
		t.Errorf("code %d, %s, %q\n%s", o.Code, o.Exited.Cause, o.Stdout.String(), o.Stderr.String())
	}
}

// covered waits until a cover lies at a path again.
func covered(t *testing.T, server int, path string) {
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(time.Millisecond) {
		b, _ := os.ReadFile("/proc/" + strconv.Itoa(server) + "/mountinfo")
		if strings.Contains(string(b), " "+path+" ") {
			return
		}
	}
	t.Errorf("%s is not covered again", path)
}

// While the shim is stopped, calls that are told wait; no answer is another one, and when it goes on they get theirs.
func TestStoppedShim(t *testing.T) {
	t.Parallel()
	const pause = time.Second
	began := time.Now()
	o := start(t, shimName, `{"version":1,"onStdinClose":"ignore"}`, command(t, "interrupted-flood", "1200", "2"), func(shim, _ int) {
		if err := unix.Kill(shim, unix.SIGSTOP); err != nil {
			t.Error(err)
		}
		time.Sleep(pause)
		if err := unix.Kill(shim, unix.SIGCONT); err != nil {
			t.Error(err)
		}
	})
	d := o.Exited.Denied
	if o.Code != 0 || o.Stdout.String() != "map[EPERM:1200]\n" || time.Since(began) < pause || len(d) != 1 || d[0].Count < 1200 {
		t.Errorf("code %d, %q, %s, %v\n%s", o.Code, o.Stdout.String(), time.Since(began), d, o.Stderr.String())
	}
}
