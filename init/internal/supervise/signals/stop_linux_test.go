package signals

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

const stopWord = "stop-again-and-again"

// stops is how often the child of TestStopIsThere stops itself by each of the two.
const stops = 200

func TestMain(m *testing.M) {
	testbed.Roles{stopWord: stopAgainAndAgain}.Play()
	os.Exit(m.Run())
}

// stopAgainAndAgain stops this process from a thread that is not its first, and writes a byte behind each stop.
func stopAgainAndAgain([]string) (code int) {
	fd, err := Open(unix.SIGTSTP)
	if err != nil {
		return 3
	}
	done := make(chan struct{})
	runtime.LockOSThread() // the first thread, which waits below
	go func() {
		defer close(done)
		runtime.LockOSThread()
		for range stops {
			for _, stop := range []func() error{StopGroup, StopSelf} {
				err := stop()
				os.Stdout.WriteString("c")
				if caught := Next(fd); err != nil || caught != 0 {
					fmt.Fprintln(os.Stderr, err, "caught", caught)
					code = 4
					return
				}
			}
		}
	}()
	<-done
	return code
}

// A process that stops itself does nothing more before it is continued, whichever of its threads stops it.
func TestStopIsThere(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := testbed.As(stopWord)
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	runtime.LockOSThread() // whose end would be the child's; PR_SET_PDEATHSIG(2const)
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	other := exec.Command("sleep", "600") // of the same job
	other.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Pgid: cmd.Process.Pid, Pdeathsig: unix.SIGKILL}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Wait()
	defer other.Process.Kill()
	stopped := 0
	for {
		var status unix.WaitStatus
		if _, err := unix.Wait4(cmd.Process.Pid, &status, unix.WUNTRACED, nil); err == unix.EINTR {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if !status.Stopped() {
			if status.ExitStatus() != 0 || stopped != 2*stops {
				t.Errorf("ended with %#x after %d stops of %d", status, stopped, 2*stops)
			}
			return
		}
		if n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ); err != nil || n != stopped {
			t.Errorf("stopped %d times, went on %d times, %v", stopped+1, n, err)
		}
		stopped++
		if stopped == 2*stops-1 && testbed.State(other.Process.Pid) != "T" { // the last by SIGTSTP, nothing continued it
			t.Errorf("the other process of the group is %s", testbed.State(other.Process.Pid))
		}
		unix.Kill(cmd.Process.Pid, unix.SIGCONT)
	}
}
