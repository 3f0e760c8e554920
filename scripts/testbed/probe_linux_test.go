package testbed

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

func probe(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(Program(t, "probe"), args...)
	cmd.Stderr = os.Stderr
	return cmd
}

func one(t *testing.T, cmd *exec.Cmd) attempt.Result {
	t.Helper()
	all := Attempts(t, cmd)
	if len(all) != 1 {
		t.Fatalf("%d results, want 1: %+v", len(all), all)
	}
	return all[0]
}

// asNobody makes cmd run as an id without any right; root alone can do that, and anybody else has none anyway.
func asNobody(cmd *exec.Cmd) *exec.Cmd {
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &unix.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	}
	return cmd
}

func TestProbeSeveral(t *testing.T) {
	all := Attempts(t, probe(t, "--", "read", "/proc/self/comm", "--", "list", "/no/such", "--", "env"))
	if len(all) != 3 || all[0].Detail != "probe\n" || all[1].Errno != "ENOENT" || !all[2].OK {
		t.Errorf("%+v", all)
	}
}

func TestProbeProcesses(t *testing.T) {
	target := probe(t, "sleep", "29.75s")
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		target.Process.Kill()
		target.Wait()
	}()
	if r := one(t, probe(t, "processes", "29.75s")); !r.OK || r.Detail != "pid "+strconv.Itoa(target.Process.Pid) {
		t.Errorf("%+v", r)
	}
	if r := one(t, probe(t, "processes", "no such word anywhere")); r.OK {
		t.Errorf("found itself: %+v", r)
	}
	if r := one(t, probe(t, "processes")); !r.OK {
		t.Errorf("%+v", r)
	}
}

func TestProbeDescriptors(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	cmd := probe(t, "descriptors")
	before := one(t, cmd)
	cmd = probe(t, "descriptors")
	cmd.ExtraFiles = []*os.File{null, null}
	after := one(t, cmd)
	// What a leaky ancestor left open without close-on-exec is there in both.
	for _, fd := range []string{"0", "1", "2", "3", "4"} {
		if !slices.Contains(strings.Fields(after.Detail), fd) {
			t.Errorf("%s was given and is not in %q", fd, after.Detail)
		}
	}
	if len(strings.Fields(after.Detail)) != len(strings.Fields(before.Detail))+2 {
		t.Errorf("two more given: %q, then %q", before.Detail, after.Detail)
	}
}

// Only an act that is not understood is a failure.
func TestProbeEnds(t *testing.T) {
	if err := probe(t, "read", "/no/such").Run(); err != nil {
		t.Error(err)
	}
	for _, words := range [][]string{nil, {"nonsense"}, {"read"}} {
		cmd := exec.Command(Program(t, "probe"), words...)
		if out, _ := cmd.Output(); cmd.ProcessState.ExitCode() != 2 || len(out) > 0 {
			t.Errorf("%q: %v, said %q", words, cmd.ProcessState, out)
		}
	}
}
