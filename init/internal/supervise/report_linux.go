package supervise

import (
	"errors"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/digest"
	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// enforced is the first line of the report.
func (s *shim) enforced(layers []order.LayerReport) *order.Enforced {
	e := &order.Enforced{Event: "enforced", Version: 1, Level: string(s.policy.Level), Confinement: string(s.rung),
		MinConfinement: string(s.policy.MinConfinement), PolicySHA256: digest.Hex(s.Order.Policy), Command: s.Order.Command,
		PID: s.server, Kernel: s.machine.Kernel, LandlockABI: s.machine.LandlockABI, ImpliedGrants: s.view.Implied,
		Protected: s.view.Protected, Unprotected: s.view.Unprotected, EnvDropped: s.Order.Dropped, Layers: layers,
		Warnings: s.view.Warnings}
	if text := s.lowered(); text != "" {
		e.Warnings = append([]string{text}, e.Warnings...)
	}
	return e
}

// warn says on standard error what the machine could not give and what the plan found worth a word; if that is asked for,
// also what holds.
func (s *shim) warn(e *order.Enforced) {
	for _, line := range e.Lines(s.Order.Verbose) {
		s.Say(line)
	}
}

// RefuseEarly writes the one line of a launch that came to nothing before there was an order. Whoever calls it has said
// on standard error why.
func RefuseEarly(report int, why string) {
	s := sink{report: report, host: -1}
	s.last(&order.Refused{Event: "refused", Layer: order.Policy, Op: "read", Error: why})
}

// refuse tells why no server was started, and returns the exit code.
func (s *shim) refuse(err error) int { return Refuse(s.Config, err) }

// Refuse writes the one line of a refused launch, to the report and to standard error, and returns the exit code.
func Refuse(c Config, err error) int {
	r := &order.Refused{Event: "refused", Layer: order.Exec, Op: "start", Error: err.Error()}
	code := ending.ExitSandbox
	var refusal *rows.Refusal
	var signalled errSignalled
	switch {
	case errors.As(err, &refusal):
		r.Layer, r.Op, r.Path, r.Error = refusal.Layer, refusal.Op, refusal.Path, refusal.Err.Error()
	case errors.As(err, &signalled):
		code = ending.ExitSignal + int(signalled.signal)
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		r.Errno = int(errno)
	}
	switch {
	case errors.Is(err, view.ErrNotFound):
		code = ending.ExitMissing
	case errors.Is(err, view.ErrNotExecutable):
		code = ending.ExitCannot
	}
	r.Hint = hint(r.Layer, r.Op, errno)
	if all := (refusals{}); errors.As(err, &all) && all.next != "" {
		also := "or let the server start with less confinement: minConfinement " + string(all.next)
		if r.Hint != "" {
			also = "; " + also
		}
		r.Hint += also
	}
	if errors.Is(err, view.ErrStarts) {
		r.Hint = "name the program that it starts, as node and the server's file, or set subprocess.allow to true"
	}
	s := sink{report: c.Order.ReportFD, host: c.Host}
	s.last(r)
	text := err.Error()
	if r.Hint != "" {
		text += " (" + r.Hint + ")"
	}
	c.Say(text)
	return code
}

// hint is what to do about a refusal, where there is something to do.
func hint(l order.Layer, op string, e syscall.Errno) string {
	switch {
	case l == order.Namespaces && op == opProc:
		return "`mount -t proc proc /proc` in the pid namespace that the launcher runs in, as `unshare --mount-proc` and `bwrap --proc /proc` do"
	case l == order.Namespaces && op == "clone" && e == unix.ENOSPC: // of whichever kind there are too many; the kernel does not say
		return "this machine forbids user namespaces, or one of the other kinds: see the sysctls user.max_user_namespaces, user.max_net_namespaces and their like"
	case l == order.Namespaces && op == "clone" && (e == unix.EPERM || e == unix.EACCES):
		return "this machine forbids user namespaces: see the sysctls user.max_user_namespaces and kernel.unprivileged_userns_clone"
	case l == order.Namespaces && e == unix.EPERM, l == order.Namespaces && e == unix.EACCES:
		return "this machine lets user namespaces be made but not used, as Ubuntu's AppArmor does: kernel.apparmor_restrict_unprivileged_userns"
	case op == "clone" && e == unix.EAGAIN:
		return "the user has too many processes: raise ulimit -u, or end some"
	case op == "program" && e == unix.EFBIG:
		return "the limit of file size (ulimit -f) is below the 8 MiB that a launch needs: raise it, and limit the server by limits.fileSize"
	case op == "ptrace":
		return "subprocess.allow false needs ptrace(2) from one of the launcher's processes to another, which this machine forbids: see kernel.yama.ptrace_scope, or set subprocess.allow to true"
	case e == unix.ENOSYS:
		return "this kernel is too old, or what the launcher runs in refuses the call: Linux 5.12 has all that full confinement needs"
	case l == order.Landlock && op == "openat" && e == unix.EACCES:
		return "the server's user may not go there, and without namespaces nobody can open it for it: name another by --user, or grant what it may enter"
	case l == order.Privileges && op == "give up user 0":
		return "this container's root has no other id to give the server: start the launcher as an ordinary user"
	case e == unix.EMFILE:
		return "too many grants for the limit of open files: raise ulimit -n"
	}
	return ""
}
