package testbed

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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

func TestProbePosture(t *testing.T) {
	r := one(t, probe(t, "posture"))
	p := r.Posture
	if p == nil {
		t.Fatalf("%+v", r)
	}
	if len(p.Errors) != 0 {
		t.Errorf("questions failed: %v", p.Errors)
	}
	if p.UIDs != [3]int{os.Getuid(), os.Geteuid(), os.Geteuid()} || p.PPID != os.Getpid() {
		t.Errorf("ids %v, parent %d", p.UIDs, p.PPID)
	}
	for name, got := range p.Namespaces {
		if want, _ := os.Readlink("/proc/self/ns/" + name); got != want {
			t.Errorf("namespace %s %s, want %s", name, got, want)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || len(p.Mounts) != strings.Count(string(mounts), "\n") {
		t.Errorf("%d mounts; %v", len(p.Mounts), err)
	}
	if !slices.Contains(p.Interfaces, "lo") || !slices.Contains(p.Env, "PATH") || len(p.Limits) != 16 || len(p.Namespaces) != 8 {
		t.Errorf("interfaces %v, env %v, %d limits, %d namespaces", p.Interfaces, p.Env, len(p.Limits), len(p.Namespaces))
	}
	inside := one(t, inNamespaces(probe(t, "posture"))).Posture
	if inside == nil || inside.Namespaces["user"] == p.Namespaces["user"] || inside.Caps.Effective == 0 {
		t.Errorf("in a user namespace of its own: %+v", inside)
	}
	if nobody := one(t, asNobody(probe(t, "posture"))).Posture; nobody == nil || nobody.Caps.Effective != 0 {
		t.Errorf("without rights: %+v", nobody)
	}
}

func TestProbeEnds(t *testing.T) {
	for _, c := range []struct {
		words []string
		code  int
		sig   syscall.Signal
	}{
		{[]string{"exit", "7"}, 7, 0},
		{[]string{"kill-self", "SIGTERM"}, -1, syscall.SIGTERM},
		{[]string{"kill-self", "9"}, -1, syscall.SIGKILL},
		{[]string{"kill-self", "SIGWINCH"}, 0, 0},
		{[]string{"read", "/no/such"}, 0, 0},
	} {
		cmd := probe(t, c.words...)
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if cmd.ProcessState.ExitCode() != c.code || c.sig != 0 && status.Signal() != c.sig {
			t.Errorf("%q: %v", c.words, cmd.ProcessState)
		}
	}
	for _, words := range [][]string{nil, {"nonsense"}, {"read"}} {
		cmd := exec.Command(Program(t, "probe"), words...)
		if out, _ := cmd.Output(); cmd.ProcessState.ExitCode() != 2 || len(out) > 0 {
			t.Errorf("%q: %v, said %q", words, cmd.ProcessState, out)
		}
	}
}

// The daemon outlives the probe, in a session of its own, and takes no notice of SIGTERM.
func TestProbeDaemon(t *testing.T) {
	r := one(t, probe(t, "fork-daemon", "5m"))
	pid, err := strconv.Atoi(strings.TrimPrefix(r.Detail, "pid "))
	if err != nil {
		t.Fatalf("%+v", r)
	}
	defer unix.Kill(pid, unix.SIGKILL)
	for range 6000 { // until the daemon has got as far as to ignore the signal
		if sid, err := unix.Getsid(pid); err == nil && sid == pid && ignores(pid, unix.SIGTERM) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := unix.Kill(pid, unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if err := unix.Kill(pid, 0); err != nil {
		t.Errorf("gone after SIGTERM: %v", err)
	}
	if sid, err := unix.Getsid(pid); err != nil || sid != pid {
		t.Errorf("session %d, pid %d: %v", sid, pid, err)
	}
}

// ignores reads SigIgn of proc_pid_status(5).
func ignores(pid int, sig unix.Signal) bool {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(text), "SigIgn:\t")
	mask, _ := strconv.ParseUint(strings.SplitN(rest, "\n", 2)[0], 16, 64)
	return mask&(1<<(sig-1)) != 0
}
