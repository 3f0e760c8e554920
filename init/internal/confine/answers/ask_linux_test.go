package answers

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// soon is a wait that is over when the process waits for a daemon that does not answer.
func soon(t *testing.T, d testbed.Daemon) Wait {
	always, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { always.Close() })
	read := testbed.FuseRequests()
	return Wait{Timeout: testbed.Patience(), FDs: []unix.PollFd{{Fd: int32(always.Fd()), Events: unix.POLLIN}},
		Check: func([]unix.PollFd) error {
			asleep := func(pid int) bool { return testbed.State(pid) == "S" }
			switch {
			case d == testbed.Stopped && slices.ContainsFunc(testbed.Children(os.Getpid()), asleep),
				d == testbed.Deserted && testbed.FuseRequests() > read:
				return late{}
			}
			return nil
		}}
}

// Nobody waits for ever: neither for a daemon that reads no request, nor for one that answers none. What is left behind
// has nothing of this process, and ends when the file system does.
func TestAsk(t *testing.T) {
	if !testbed.OwnMounts(t) {
		return
	}
	for d, name := range []string{"answers", "stopped", "deserted"} {
		at := t.TempDir()
		d := testbed.Daemon(d)
		end := testbed.Fuse(t, at, d)
		for _, look := range []Look{{Path: at}, {Path: filepath.Dir(at), Below: true}, {Path: at + "/a/b"}} {
			err := Ask(Mounts(), []Look{look}, soon(t, d))
			if d == testbed.Answers {
				if err != nil {
					t.Errorf("%s: %v: %v", name, look, err)
				}
				continue
			}
			refusal, _ := errors.AsType[*order.Refusal](err)
			no, _ := errors.AsType[*NoAnswer](err)
			if no == nil || no.Mount != at || no.Type != "fuse.test" || refusal.Layer != order.Root || !policy.Within(refusal.Path, at) {
				t.Errorf("%s: %v: %v", name, look, err)
			}
		}
		left := testbed.Children(os.Getpid())
		if d == testbed.Deserted && len(left) != 3 {
			t.Errorf("%d are left behind: no wait of these was one that a signal does not end", len(left))
		}
		for _, pid := range left {
			cwd, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
			fds, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
			if testbed.State(pid) == "D" && (cwd != "/" || len(fds) != 0 || err != nil) {
				t.Errorf("%s: what is left behind is in %s and has %v %v", name, cwd, fds, err)
			}
		}
		end()
		for range left {
			if _, err := unix.Wait4(-1, nil, 0, nil); err != nil {
				t.Error(err)
			}
		}
	}
}

// Who ends a launch waits for nothing.
func TestInterrupted(t *testing.T) {
	if !testbed.OwnMounts(t) {
		return
	}
	at := t.TempDir()
	testbed.Fuse(t, at, testbed.Deserted)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.Close()
	enough := errors.New("enough")
	err = Ask(Mounts(), []Look{{Path: at}}, Wait{Timeout: 10 * time.Second, FDs: []unix.PollFd{{Fd: int32(r.Fd()), Events: unix.POLLIN}},
		Check: func(polled []unix.PollFd) error {
			if polled[0].Revents != 0 {
				return enough
			}
			return nil
		}})
	if r, _ := errors.AsType[*order.Refusal](err); !errors.Is(err, enough) || r.Layer != order.Exec || r.Path != at {
		t.Error(err)
	}
}

// Without a mount that waits nothing is started: a launch pays for the table of mounts alone.
func BenchmarkNothing(b *testing.B) {
	for b.Loop() {
		if len(Mounts()) > 0 {
			b.Skip("there are mounts that wait")
		}
	}
}
