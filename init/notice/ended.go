package notice

import (
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// This file: ends that are not the server's own, each in a line.

// Timeout is the end by limits.timeout.
func Timeout(limit time.Duration, written string) string {
	if written == "" {
		written = "limits.timeout"
	}
	return line("the server was ended after its time limit of ", limit.String(), " (", written, ")")
}

// Killed is the end of a sandbox by a kill of its process 1.
const Killed = "the sandbox's process 1 was killed from outside (kill -9, or this machine ran out of memory); " +
	"all of the server ended with it"

// KilledServer is the end of a server by a SIGKILL that was not the launcher's.
const KilledServer = "the server was killed by SIGKILL (kill -9, or this machine ran out of memory)"

// CPUTime is the end by the processor time that a time limit allows.
const CPUTime = "the server was ended because its processor time was used up (limits.timeout " +
	"times limits.cpu, or an inherited ulimit -t)"

// Memory is the end by a limit of memory.
func Memory(limit int64, written string) string {
	if written == "" {
		written = "limits.memory"
	}
	return line("memory limit ", policy.Quantity(limit).String(), " reached: the server was ended (raise ",
		written, ")")
}

// MachineMemory is the end by the memory of the machine.
const MachineMemory = "killed because the memory of the machine, or of a control group above the server's, was used up"

// PolicyLost is the end of a server that the policy no longer holds.
func PolicyLost(err error) string {
	return "the server is ended, because the host replaced something that the policy denies or protects: " +
		err.Error() + " (deny, or grant, whole folders rather than single files)"
}

// NotExecuted is a command that looked executable, and its kind; "" where the kind is not known.
func NotExecuted(command string, err error, what string) string {
	if what != "" {
		what = ": " + what
	}
	return line("execute ", name(command, 60), ": ", err.Error(), what)
}

// Denied are the refused calls of a launch; "" for none.
func Denied(all []order.DeniedCount) string {
	var text []string
	for _, c := range all {
		if c.Kind == order.DeniedSyscall {
			text = append(text, c.Syscall+" "+strconv.FormatInt(c.Count, 10))
		}
	}
	if text == nil {
		return ""
	}
	return line("denied system calls: ", strings.Join(text, ", "))
}
