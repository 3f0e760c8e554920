package trialcalls

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// say, in the environment, makes the test binary print what it found, for a parent that has taken something away.
const say = "TRIES_SAY"

func TestMain(m *testing.M) {
	if os.Getenv(say) == "" {
		os.Exit(m.Run())
	}
	runtime.LockOSThread()
	t, err := Run()
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
	os.Stdout.Write(t.AppendJSON(nil))
}

// found are the calls that a child of this test was refused, with the errors.
func found(t *testing.T, command ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	if len(command) > 0 {
		cmd = exec.Command(command[0], append(command[1:], self)...)
	}
	cmd.Env = append(os.Environ(), say+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestCalls(t *testing.T) {
	max := `unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_`
	for _, c := range []struct {
		name, shell string
		refused     map[string]string
	}{
		{"nothing taken", `"$0"`, nil},
		{"no user namespaces", max + `user_namespaces && exec "$0"' "$0"`, map[string]string{order.TryUser: "ENOSPC", order.TryMount: "ENOSPC",
			order.TryPID: "ENOSPC", order.TryIPC: "ENOSPC", order.TryUTS: "ENOSPC", order.TryCgroup: "ENOSPC", order.TryNet: "ENOSPC"}},
		{"no network namespaces", max + `net_namespaces && exec "$0"' "$0"`, map[string]string{order.TryNet: "ENOSPC"}},
		{"no ipc namespaces", max + `ipc_namespaces && exec "$0"' "$0"`, map[string]string{order.TryIPC: "ENOSPC"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := found(t, "sh", "-c", c.shell)
			for _, k := range kinds() {
				want := `{"name":"` + k.name + `"}`
				if e := c.refused[k.name]; e != "" {
					want = `{"name":"` + k.name + `","error":"` + e + `"}`
				}
				if !strings.Contains(line, want) {
					t.Errorf("want %s in %s", want, line)
				}
			}
			for _, name := range []string{order.TryFilter, order.TryListener} {
				if !strings.Contains(line, `{"name":"`+name+`"}`) {
					t.Errorf("%s: %s", name, line)
				}
			}
		})
	}
}

// A process may have one listener. Of one that has it already the next is EBUSY, and a filter is not.
func TestListenerTaken(t *testing.T) {
	done := make(chan string)
	go func() { // this thread gets the listener, and ends with the goroutine
		runtime.LockOSThread()
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			done <- err.Error()
			return
		}
		if err := listener(); err != 0 {
			done <- err.Error()
			return
		}
		r, err := Run()
		if err != nil {
			done <- err.Error()
			return
		}
		done <- string(r.AppendJSON(nil))
	}()
	line := <-done
	if !strings.Contains(line, `{"name":"seccomp listener","error":"EBUSY"}`) || !strings.Contains(line, `{"name":"seccomp filter"}`) {
		t.Error(line)
	}
}
