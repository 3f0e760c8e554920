package testbed

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// Roles are what a test binary does in place of its tests, each by its name. A role gets the words behind its name and
// returns the exit status.
//
//	func TestMain(m *testing.M) { testbed.Roles{"server": serve}.Play(); os.Exit(testbed.Run(m)) }
//
//	cmd := testbed.As("server", words...)
type Roles map[string]func(words []string) int

// WrongRole is the status of a role that does not understand its words. No launch ends with it.
const WrongRole = 70

// Play ends this process with the role that it was started in: the name is argument 0, or argument 1 where another
// program starts this one. Without a role Play returns.
func (r Roles) Play() {
	for i := range min(2, len(os.Args)) {
		if play := r[os.Args[i]]; play != nil {
			os.Exit(play(os.Args[i+1:]))
		}
	}
}

// As is a command that starts this test binary in a role.
func As(role string, words ...string) *exec.Cmd {
	cmd := exec.Command(self())
	cmd.Args = append([]string{role}, words...)
	return cmd
}

// self is the test binary, also for a process that may not enter the folder of it.
func self() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// Finish runs a command to its end and returns what it wrote. Another status than 0 fails no test.
func Finish(tb testing.TB, cmd *exec.Cmd) (code int, stdout, stderr string) {
	tb.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Start()
	if err == nil {
		if testing.Short() { // long forms have their reasons
			hangs := time.AfterFunc(5*Patience(), func() {
				tb.Errorf("no end of %q", cmd.Args)
				cmd.Process.Kill()
			})
			defer hangs.Stop()
		}
		err = cmd.Wait()
	}
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		tb.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
