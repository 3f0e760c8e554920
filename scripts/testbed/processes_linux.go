package testbed

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Background starts a process that ends with the test, and returns its id.
func Background(tb testing.TB, cmd *exec.Cmd) int {
	tb.Helper()
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid
}

// Children are the ids of a process's children; proc_pid_children(5).
func Children(of int) (all []int) {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(of) + "/task/*/children")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		for _, word := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(word); err == nil {
				all = append(all, pid)
			}
		}
	}
	return all
}

// State is the letter of a process's state, "" when there is none; proc_pid_stat(5).
func State(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	return string(b[strings.LastIndexByte(string(b), ')')+2])
}

// EveryRight gives a process every capability, in a user namespace and in these others of its own: the control for an
// act that needs one.
func EveryRight(namespaces uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | namespaces,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
}

// Spared waits until a process sleeps or is over, and reports whether it sleeps. SIGKILL wakes every thread as soon as
// it is sent, so who sleeps afterwards was not sent it.
func Spared(tb testing.TB, pid int) bool {
	tb.Helper()
	state := ""
	Await(tb, "the sleep or the end of process "+strconv.Itoa(pid), func() bool {
		state = State(pid)
		return state == "S" || state == "Z" || state == ""
	})
	return state == "S"
}

// Sleeps is how often the threads of a process have gone to sleep: a count of what it does; proc_pid_status(5).
func Sleeps(pid int) (n int) {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/status")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		_, rest, _ := strings.Cut(string(b), "\nvoluntary_ctxt_switches:")
		if word := strings.Fields(rest); len(word) > 0 {
			more, _ := strconv.Atoi(word[0])
			n += more
		}
	}
	return n
}
