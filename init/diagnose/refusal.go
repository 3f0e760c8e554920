package diagnose

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// The steps of a launch that the tables name and no system call is.
const (
	OpLook    = "look at the machine"
	OpProc    = "look for itself in" // the launcher's /proc
	OpPrivate = "make the private folder in"
	OpGiveUp  = "give up user 0"
	OpUse     = "use"    // a standard descriptor
	OpRunner  = "runner" // the process that clones init
)

// Circumstances determine a refusal's meaning besides the refusal.
type Circumstances struct {
	OS     string // as runtime.GOOS
	Kernel string // its release
	Root   bool   // the launcher is user 0
	// Traced reports whether another process traces the launcher, as ptrace(2) does; nil: not known.
	Traced func() bool
	// Sysctl is the value of a sysctl(8) by its name with dots, or "".
	Sysctl func(name string) string
}

// Killed is the end of a process of the launch by a signal, before the server was released.
type Killed struct{ Signal string } // "SIGSYS"

func (k Killed) Error() string {
	if k.Signal == sigsys {
		return "killed by " + k.Signal + ": a filter around the launcher does so to whoever makes this call"
	}
	return "killed by " + k.Signal
}

// sigsys is the signal of a seccomp filter that kills.
const sigsys = "SIGSYS"

// NoProc is why confinement full has no /proc of its own.
type NoProc struct{ Reason string }

func (n NoProc) Error() string { return n.Reason }

// class decides whether a layer's refusals with an errno are the machine's or the policy's. A policy's refusal is never
// answered by less confinement: or a policy could choose less by a number, or by a path.
type class struct {
	layer  order.Layer
	always bool // the machine's, for nothing of the policy is named in these calls; else only an [order.Mechanism] is
	lasts  bool // a lasting errno is a setting of the machine, not of this policy
}

// classes has no line for the policy's parts: its limits, its command, its descriptors.
var classes = [...]class{
	{order.Namespaces, true, true},
	{order.Network, true, true},
	{order.Privileges, true, false},
	{order.Root, false, true},
	{order.Landlock, false, true},
	{order.Cgroup, false, false},
	{order.Seccomp, false, false},
}

func classOf(l order.Layer) class {
	if i := slices.IndexFunc(classes[:], func(c class) bool { return c.layer == l }); i >= 0 {
		return classes[i]
	}
	return class{}
}

// passing are the errnos of resources that other processes of the user can use up for a moment: descriptors in flight
// and open, memory, and processes in clone(2). A server that did would choose the confinement of the next one.
var passing = []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.ETOOMANYREFS}

// OfMachine reports whether the machine refused a step, whatever the policy names.
func OfMachine(r *order.Refusal) bool {
	if killed, ok := errors.AsType[Killed](r.Err); ok {
		return killed.Signal == sigsys
	}
	if IsNoProc(r) {
		return true
	}
	errno, ok := errors.AsType[syscall.Errno](r.Err)
	if !ok || slices.Contains(passing, errno) || r.Layer == order.Namespaces && errno == syscall.EAGAIN {
		return false
	}
	c := classOf(r.Layer)
	return c.always || hiddenProc(r) || c.layer != "" && errors.As(r.Err, new(order.Mechanism))
}

// Lasting reports whether a refusal is due to the machine's settings, and not to the moment nor to this policy.
func Lasting(r *order.Refusal, f Circumstances) bool {
	if IsNoProc(r) || errors.As(r.Err, new(Killed)) {
		return true
	}
	if !classOf(r.Layer).lasts {
		return false
	}
	switch errnoOf(r) {
	case syscall.EPERM, syscall.EACCES, syscall.ENOSYS, syscall.EAFNOSUPPORT:
		return true
	case syscall.ENOSPC: // also of a limit of namespaces that others have used up
		return r.Layer == order.Namespaces && forbidsNamespaces(f)
	}
	return false
}

// forbidsNamespaces reports whether a sysctl allows none of some kind of namespace; namespaces(7).
func forbidsNamespaces(f Circumstances) bool {
	return slices.ContainsFunc([]string{"user", "mnt", "pid", "ipc", "uts", "net"}, func(kind string) bool {
		return f.Sysctl("user.max_"+kind+"_namespaces") == "0"
	})
}

// IsNoProc reports whether confinement full was given up because it has no /proc of its own.
func IsNoProc(r *order.Refusal) bool { return errors.As(r.Err, new(NoProc)) }

// hiddenProc reports whether the shim could not read init's table of mounts. No policy names a path in /proc.
func hiddenProc(r *order.Refusal) bool {
	return r.Layer == order.Root && strings.HasPrefix(r.Path, "/proc/") && strings.HasSuffix(r.Path, "/mountinfo")
}

// errnoOf is 0 for a refusal without an errno.
func errnoOf(r *order.Refusal) syscall.Errno {
	errno, _ := errors.AsType[syscall.Errno](r.Err)
	return errno
}
