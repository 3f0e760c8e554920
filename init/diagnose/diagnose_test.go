package diagnose

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// circumstancesOf is a machine with one sysctl of its own.
func circumstancesOf(kernel string, root bool, zero string) Circumstances {
	return Circumstances{OS: "linux", Kernel: kernel, Root: root, Sysctl: func(name string) string {
		if name == zero {
			return "0"
		}
		return "15000"
	}}
}

var newMachine = circumstancesOf("6.12.1", false, "")

// tracedMachine is one whose launcher another process traces.
func tracedMachine() Circumstances {
	c := newMachine
	c.Traced = func() bool { return true }
	return c
}

// Each row has a refusal that it is for, and no other row comes before it. A part of each hint is enough.
func TestHint(t *testing.T) {
	killed := Killed{"SIGSYS"}
	reach := &order.Refusal{Layer: order.Policy, Op: "reach full", Err: errors.ErrUnsupported}
	hold := &order.Refusal{Layer: order.Policy, Op: "hold", Err: errors.ErrUnsupported}
	used, traced := map[string]bool{}, tracedMachine()
	for _, c := range []struct {
		layer         order.Layer
		op            string
		err           error
		circumstances Circumstances
		hint          string
	}{
		{order.Exec, "sendmsg", killed, newMachine, "@network-io"},
		{order.Exec, "socketpair", syscall.EPERM, newMachine, "@network-io"},
		{order.Descriptors, OpUse, syscall.EACCES, newMachine, "@network-io"},
		{order.Seccomp, "seccomp", killed, newMachine, "allow Landlock and seccomp"},
		{order.Landlock, "landlock_add_rule", killed, newMachine, "allow Landlock and seccomp"},
		{order.Root, "mount", killed, newMachine, "@mount"},
		{order.Root, "mount", NoProc{"masked"}, newMachine, "procMount: Unmasked"},
		{order.Namespaces, OpProc, errors.New("another's"), newMachine, "unshare --mount-proc"},
		{order.Namespaces, OpLook, syscall.ENOENT, newMachine, "gVisor"},
		{order.Namespaces, OpLook, syscall.ENOENT, traced, "proot"},
		{order.Exec, OpRunner, errors.New("ended with 182"), traced, "proot"},
		{order.Exec, OpRunner, errors.New("ended with 182"), newMachine, ""},
		{order.Namespaces, "clone", syscall.ENOSPC, newMachine, "user.max_user_namespaces"},
		{order.Namespaces, "clone", syscall.EACCES, newMachine, "kernel.unprivileged_userns_clone"},
		{order.Namespaces, "clone", syscall.EAGAIN, newMachine, "ulimit -u"},
		{order.Root, "open_tree", syscall.EPERM, circumstancesOf("6.12.1", true, ""), "CAP_SYS_ADMIN"},
		{order.Root, "open_tree", syscall.EPERM, newMachine, "apparmor_restrict_unprivileged_userns"},
		{order.Root, OpPrivate, syscall.EPERM, newMachine, ""},
		{order.Namespaces, "write", syscall.EROFS, newMachine, "mounted read-only"},
		{order.Exec, "program", syscall.EFBIG, newMachine, "ulimit -f"},
		{order.Seccomp, "ptrace", syscall.EPERM, newMachine, "ptrace_scope"},
		{order.Seccomp, "seccomp", syscall.EINVAL, newMachine, "CONFIG_SECCOMP_FILTER"},
		{order.Landlock, "landlock_create_ruleset", syscall.EOPNOTSUPP, newMachine, "lsm="},
		{order.Landlock, "landlock_create_ruleset", syscall.ENOSYS, newMachine, "Linux 5.13"},
		{order.Root, "openat2", syscall.ENOSYS, newMachine, "RestrictSUIDSGID"},
		{order.Root, "mount_setattr", syscall.ENOSYS, newMachine, "runs in refuses it"},
		{order.Root, "mount_setattr", syscall.ENOSYS, circumstancesOf("5.10.0", false, ""), "too old"},
		{order.Network, "publish", syscall.EADDRINUSE, newMachine, "another program"},
		{order.Network, "publish", syscall.EACCES, newMachine, "are root's"},
		{order.Network, "publish", syscall.EADDRNOTAVAIL, newMachine, "an address of this machine"},
		{order.Network, "socket", syscall.EAFNOSUPPORT, newMachine, "RestrictAddressFamilies"},
		{order.Network, "sendto", syscall.EPERM, newMachine, "IPAddressDeny="},
		{order.Network, "ioctl", syscall.EPERM, newMachine, "apparmor_restrict_unprivileged_userns"},
		{order.Root, "chdir", syscall.EACCES, newMachine, "key cwd names"},
		{order.Root, "mkdirat", syscall.ENOSPC, newMachine, "tmpSize"},
		{order.Landlock, "openat", syscall.EACCES, newMachine, "by the key user"},
		{order.Privileges, OpGiveUp, syscall.EPERM, newMachine, "no other id"},
		{order.Exec, "start", syscall.EMFILE, newMachine, "ulimit -n"},
		{order.Exec, "start", syscall.EMFILE, Circumstances{OS: "darwin"}, ""},
		{reach.Layer, reach.Op, reach.Err, Circumstances{OS: "windows"}, "WSL2, or set"},
		{reach.Layer, reach.Op, reach.Err, Circumstances{OS: "darwin"}, "virtual machine, or set"},
		{hold.Layer, hold.Op, hold.Err, Circumstances{OS: "windows"}, "WSL2, or write out"},
		{hold.Layer, hold.Op, hold.Err, Circumstances{OS: "darwin"}, "virtual machine, or write out"},
	} {
		got := Hint(&order.Refusal{Layer: c.layer, Op: c.op, Err: c.err}, c.circumstances)
		if !strings.Contains(got, c.hint) || c.hint == "" && got != "" {
			t.Errorf("%s %s %v: %q", c.layer, c.op, c.err, got)
		}
		used[got] = true
	}
	for system, want := range map[string]string{"windows": "WSL2, or take level network without domains", "darwin": "virtual machine, or take level network without"} {
		domains := *hold
		domains.Path = "filesystem.denyRead, network.allowedDomains"
		got := Hint(&domains, Circumstances{OS: system})
		if !strings.Contains(got, want) || !strings.Contains(got, "or write out minConfinement limits") {
			t.Errorf("%s: %q", system, got)
		}
		used[got] = true
	}
	hidden := &order.Refusal{Layer: order.Root, Op: "mountinfo", Path: "/proc/7/mountinfo", Err: syscall.ENOENT}
	used[Hint(hidden, newMachine)] = true
	for _, table := range [][]hintRow{onLinux[:], withoutBarrier[:]} {
		for _, r := range table {
			if !used[r.hint] {
				t.Errorf("no refusal has the hint %q", r.hint)
			}
		}
	}
	if got := Hint(syscall.EMFILE, newMachine); !strings.Contains(got, "ulimit -n") {
		t.Errorf("an error that is no refusal: %q", got)
	}
}

// A hint is told once, however many steps it is for.
func TestHints(t *testing.T) {
	r := &order.Refusal{Layer: order.Exec, Op: "socketpair", Err: syscall.EPERM}
	full := &order.Refusal{Layer: order.Root, Op: "mkdirat", Err: syscall.ENOSPC}
	got := Hints([]*order.Refusal{r, {Layer: order.Limits, Err: syscall.EINVAL}, full, r}, newMachine)
	if got != NeedsSockets+"; "+Hint(full, newMachine) {
		t.Error(got)
	}
	if got := LessConfinement("", "reduced"); got != "or let the server start with less confinement: minConfinement reduced" {
		t.Error(got)
	}
	if got := DomainsNotHeld("a hint", "reduced"); got != "a hint; or take level network, which opens every host; "+
		"or write out that the list need not hold: minConfinement reduced" {
		t.Error(got)
	}
	if got := NotHeld("a hint", "limits"); got != "a hint; or write out that it need not hold: minConfinement limits" {
		t.Error(got)
	}
}

// What a Go host remembers for good: not a limit that others have used up, which may be free again at the next
// launch, and nothing that another policy would not meet.
func TestLasting(t *testing.T) {
	forbidden := circumstancesOf("6.12.1", false, "user.max_net_namespaces")
	for _, c := range []struct {
		layer         order.Layer
		err           error
		circumstances Circumstances
		want          bool
	}{
		{order.Namespaces, syscall.EPERM, newMachine, true},
		{order.Root, syscall.EACCES, newMachine, true},
		{order.Root, NoProc{"masked"}, newMachine, true},
		{order.Exec, Killed{"SIGSYS"}, newMachine, true},
		{order.Landlock, syscall.ENOSYS, newMachine, true},
		{order.Namespaces, syscall.ENOSPC, newMachine, false},
		{order.Namespaces, syscall.ENOSPC, forbidden, true},
		{order.Root, syscall.ENOSPC, forbidden, false},
		{order.Namespaces, syscall.EUSERS, newMachine, false},
		{order.Seccomp, syscall.EPERM, newMachine, false},
		{order.Policy, syscall.EPERM, newMachine, false},
	} {
		if got := Lasting(&order.Refusal{Layer: c.layer, Op: "clone", Err: c.err}, c.circumstances); got != c.want {
			t.Errorf("%s, %v: %v", c.layer, c.err, got)
		}
	}
}

// What a policy names is never answered by less confinement.
func TestOfMachine(t *testing.T) {
	for _, c := range []struct {
		layer order.Layer
		path  string
		err   error
		want  bool
	}{
		{order.Namespaces, "", syscall.EPERM, true},
		{order.Privileges, "", syscall.EPERM, true},
		{order.Network, "", syscall.ETOOMANYREFS, false}, // of descriptors in flight, which a server can have
		{order.Namespaces, "", syscall.EAGAIN, false},
		{order.Privileges, "", syscall.EMFILE, false},
		{order.Root, "", order.Mechanism{Errno: syscall.ENOMEM}, false},
		{order.Namespaces, "", errors.New("not done in 30s"), false},
		{order.Root, "/srv", syscall.EACCES, false},
		{order.Root, "/srv", order.Mechanism{Errno: syscall.EACCES}, true},
		{order.Root, "/proc/7/mountinfo", syscall.ENOENT, true},
		{order.Root, "/proc", NoProc{"masked"}, true},
		{order.Landlock, "/srv", syscall.EACCES, false},
		{order.Landlock, "/srv", order.Mechanism{Errno: syscall.EPERM}, true},
		{order.Cgroup, "/sys/fs/cgroup/a", syscall.EACCES, false},
		{order.Seccomp, "", syscall.EINVAL, false},
		{order.Limits, "", order.Mechanism{Errno: syscall.EINVAL}, false},
		{order.Exec, "", Killed{"SIGSYS"}, true},
		{order.Exec, "", Killed{"SIGKILL"}, false},
	} {
		r := &order.Refusal{Layer: c.layer, Op: "open", Path: c.path, Err: c.err}
		if got := OfMachine(r); got != c.want {
			t.Errorf("%v: %v", r, got)
		}
	}
	for _, signal := range []string{"SIGSYS", "SIGKILL"} {
		if text := (Killed{signal}).Error(); !strings.HasPrefix(text, "killed by "+signal) {
			t.Error(text)
		}
	}
}
