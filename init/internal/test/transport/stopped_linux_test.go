package transport_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A server that stops itself is a stopped job of the user's shell. Its children are stopped with it, and its time
// goes on.
func TestStoppedJob(t *testing.T) {
	s, n := shell(t), newNap(0)
	s.typed(launch{Launch: host.Launch{TTY: true, Command: []string{"/bin/sh", "-c", n.command() + " & sleep 1; kill -STOP $$; wait"}}, Timeout: "8s"}.words(t) + "\n")
	n.await(t, "T")
	n.over(t)
}

// So is a launcher without a terminal for its server when the user types Ctrl-Z, which the terminal sends to the
// launcher alone: also the processes that ignore it are stopped.
func TestStoppedLauncher(t *testing.T) {
	for i, begin := range []string{"", "reduced"} {
		for j, does := range []string{": ; ", "trap '' TSTP; "} {
			t.Run(cmp.Or(begin, "full")+"/"+does, func(t *testing.T) {
				t.Parallel() // most of the time goes by waiting
				if abi, err := platform.LandlockABI(); begin != "" && (err != nil || abi == 0) {
					testbed.Missing(t, "landlock", "without Landlock there is no confinement reduced")
				}
				s, n := shell(t), newNap(1+2*i+j)
				s.typed(launch{Launch: host.Launch{Begin: begin, Command: []string{"/bin/sh", "-c", does + n.command() + " & wait"}}, Timeout: "8s"}.words(t) + "\n")
				n.await(t, "S")
				s.typed("\x1a")
				s.wait("topped") // as the shell says it of the launcher
				n.await(t, "T")
				n.over(t)
			})
		}
	}
}

// A nap is a process of a server that sleeps so long as nobody else does.
type nap string

func newNap(i int) nap { return nap("7" + strconv.Itoa(i) + strconv.Itoa(os.Getpid())) }

func (n nap) command() string { return "sleep " + string(n) }

// pid is the process, 0 if there is none.
func (n nap) pid() (pid int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range all {
		if b, _ := os.ReadFile(f); string(b) == "sleep\x00"+string(n)+"\x00" {
			pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(f)))
		}
	}
	return pid
}

// await waits until the process is in a state.
func (n nap) await(t *testing.T, want string) {
	t.Helper()
	testbed.Await(t, "state "+want+" of "+n.command(), func() bool {
		child := n.pid()
		return child != 0 && testbed.State(child) == want
	})
}

// over waits until the time limit has ended it.
func (n nap) over(t *testing.T) {
	t.Helper()
	child := n.pid()
	testbed.Await(t, "the end of the stopped job by its time limit", func() bool {
		b, _ := os.ReadFile("/proc/" + strconv.Itoa(child) + "/cmdline")
		return string(b) != "sleep\x00"+string(n)+"\x00"
	})
}
