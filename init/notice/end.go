package notice

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// This file: ends that are not the server's own, and early ones.

// Early is how soon after its release a server ends that lacks something.
const Early = 10 * time.Second

// withheld is what the launcher has and the server did not get.
type withheld struct {
	variables []string
	network   bool
	arguments []string // and variables with paths
	cwd       string   // "" if the server started in the launcher's
	limits    []string // flags or keys of numbers that a person named, with the number
	git       string   // the flag that makes a protected .git writable
}

// An End is how a server ended.
type End struct {
	*order.Exited
	After   time.Duration // since the release
	Network bool          // the server had one
}

// Line is the line about an end that was not the server's own, or that came early in a launch of mcp-sandbox run; ""
// for others.
func (e *End) Line(o *order.Order, first *order.Enforced, l *policy.Limits) string {
	switch limit, _ := l.Timeout.Value(); e.Cause {
	case order.CauseTimeout:
		return Timeout(limit, o.NameOf("limits.timeout"))
	case order.CauseCPU:
		return CPUTime
	case order.CauseSupervisorLost:
		return Killed
	case order.CauseSignal, order.CauseExit:
		switch {
		case e.Signal == "SIGKILL":
			return KilledServer
		case o.Guided && e.After < Early && e.ExitCode != 0:
			w := withheldOf(o, first, e.Network)
			w.limits = numbersOf(o.Named, l)
			return e.without(w)
		}
	}
	return ""
}

// without is the line about an early end; "" if the server was given everything.
func (e *End) without(w *withheld) string {
	var parts []string
	if len(w.variables) > 0 {
		parts = append(parts, "variables "+list(w.variables, ", ", 44)+" (--env)")
	}
	if w.network {
		parts = append(parts, "network (--allow-domain HOST)")
	}
	if w.cwd != "" {
		parts = append(parts, "working folder")
	}
	if len(w.arguments) > 0 {
		parts = append(parts, "argument "+list(w.arguments, ", ", 30))
	}
	if len(w.limits) > 0 {
		parts = append(parts, "more than "+strings.Join(w.limits, ", "))
	}
	if w.git != "" {
		parts = append(parts, "writes to .git ("+w.git+")")
	}
	if len(parts) == 0 {
		return ""
	}
	how := "ended with " + strconv.Itoa(e.ExitCode)
	if e.Signal != "" {
		how = "was ended by " + e.Signal
	}
	seconds := strconv.FormatFloat(e.After.Seconds(), 'f', 1, 64)
	return line("the server ", how, " after ", seconds, " s. Not given to it: ", strings.Join(parts, "; "))
}

// withheldOf is what the order and the first line of the report say of it.
func withheldOf(o *order.Order, e *order.Enforced, network bool) *withheld {
	w := &withheld{network: !network}
	for _, n := range e.Notices {
		switch n.Kind {
		case order.NoticeEnv:
			w.variables = append(w.variables, n.Name)
		case order.NoticeArgument:
			w.arguments = append(w.arguments, n.Name)
		case order.NoticeCwd:
			w.cwd = n.Name
		case order.NoticeProtected:
			if w.git == "" {
				w.git = n.Flag
			}
		}
	}
	named := w.variables[:len(w.variables):len(w.variables)] // few, of thousands that may have been dropped
	for _, n := range o.Dropped {
		if IsSetting(n) && !slices.Contains(named, n) {
			w.variables = append(w.variables, n)
		}
	}
	return w
}

// numbersOf are the limits that a person named and that a server meets as errors.
func numbersOf(named []order.Named, l *policy.Limits) (all []string) {
	for _, n := range named {
		number := ""
		switch n.Key {
		case "limits.memory":
			number = l.Memory.String()
		case "limits.pids":
			number = l.Pids.String()
		case "limits.openFiles":
			number = l.OpenFiles.String()
		case "limits.fileSize":
			number = l.FileSize.String()
		case "limits.addressSpace":
			number = l.AddressSpace.String()
		}
		if number != "" {
			all = append(all, n.Written+" "+number)
		}
	}
	return all
}

// Timeout is the end by limits.timeout.
func Timeout(limit time.Duration, written string) string {
	if written == "" {
		written = "limits.timeout"
	}
	return line("the server was ended after its time limit of ", limit.String(), " (", written, ")")
}

// Killed is the end of a sandbox whose process 1 was killed.
const Killed = "the sandbox's process 1 was killed from outside (kill -9, or this machine ran out of memory); " +
	"all of the server ended with it"

// KilledServer is the end of a server by a SIGKILL that was not the launcher's.
const KilledServer = "the server was killed by SIGKILL (kill -9, or this machine ran out of memory)"

// CPUTime is the end by the processor time that a time limit allows.
const CPUTime = "the server was ended because its processor time was used up (limits.timeout times limits.cpu)"

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

// NotExecuted is a command that looked executable, and what it is; "" where nothing tells.
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
