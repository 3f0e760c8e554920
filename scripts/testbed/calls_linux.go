package testbed

import (
	"fmt"
	"os"
	"strings"
)

// Call is the number of the system call in which a thread of a process sleeps, or -1 while it runs or cannot be looked
// at; proc_pid_syscall(5). A process may look at its own threads, and at its children's where those can be traced.
func Call(pid, thread int) int {
	at := fmt.Sprintf("/proc/%d/task/%d/", pid, thread)
	var nr int
	call, err := os.ReadFile(at + "syscall") // "running", or numbers
	if _, bad := fmt.Sscan(string(call), &nr); err != nil || bad != nil {
		return -1
	}
	// A sleep that no signal ends is that of a lock, within a call.
	if stat, err := os.ReadFile(at + "stat"); err != nil || !strings.Contains(string(stat), ") S ") {
		return -1
	}
	return nr
}
