package testbed

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A Lack is a mechanism that a machine has not got. One that is a file is a sysctl, which is 0.
type Lack string

const (
	NoUserNamespaces  Lack = "/proc/sys/user/max_user_namespaces" // clone: ENOSPC
	NoNetNamespaces   Lack = "/proc/sys/user/max_net_namespaces"  // clone: ENOSPC
	NoMountNamespaces Lack = "/proc/sys/user/max_mnt_namespaces"  // clone: ENOSPC
	NoClone           Lack = "user namespaces, by a filter"       // clone, unshare: EPERM, as Docker's filter has it
	NoMount           Lack = "mounts"                             // mount, pivot_root, …: EPERM, as on Ubuntu 24.04
	NoLandlock        Lack = "Landlock"                           // ENOSYS, as a kernel without it
	NoNamespaceLinks  Lack = "links of namespaces"                // /proc/self/ns: empty, as in gVisor
	NoSeccomp         Lack = "seccomp"                            // EINVAL, as a kernel without it
	NoListener        Lack = "seccomp listener"                   // EBUSY, as behind another one
	NoRawSockets      Lack = "raw sockets"                        // socket: EPERM, of IP; those of netlink stay
)

// machineArg makes a program a machine without something.
const machineArg = "testbed-machine-without"

// A Machine is one that lacks something.
type Machine struct {
	Lacks []Lack
	// Root is true for a user namespace of root with all ids; for tests that run as root. Else the namespace maps
	// only this test's user, and user 12345 if that is root.
	Root bool
	// At is a folder of the host's that it shows at Shown, another one; "" for none.
	At, Shown string
	// Apart is true where it has a network namespace of its own.
	Apart bool
}

// Ordinary is the user that a test of root's runs a command as.
const Ordinary = 12345

// Put is Apply in a test, whose TestMain has to call Run.
func (m Machine) Put(tb testing.TB, cmd *exec.Cmd) {
	tb.Helper()
	if err := m.Apply(cmd); err != nil {
		tb.Fatal(err)
	}
}

// Apply makes cmd run on the machine: in a user namespace, whose sysctls are its own, and behind a filter. The host
// does not change. Cmd must not be started yet; the program that it names is executed in the end, with its arguments,
// environment, files and folder. The running program has to call Machines.
func (m Machine) Apply(cmd *exec.Cmd) error {
	text, err := json.Marshal(m)
	if err = errors.Join(cmd.Err, err); err != nil {
		return err
	}
	const self = "/proc/self/exe" // whatever folder it lies in
	cmd.Args = append([]string{self, machineArg, string(text), cmd.Path}, cmd.Args...)
	cmd.Path = self
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	a := cmd.SysProcAttr
	uid, gid, size := os.Getuid(), os.Getgid(), 1
	switch {
	case uid == 0 && m.Root:
		size = 1 << 16
		a.GidMappingsEnableSetgroups = true
	case uid == 0:
		uid, gid = Ordinary, Ordinary
		a.Credential = &syscall.Credential{Uid: Ordinary, Gid: Ordinary, NoSetGroups: true}
	case m.Root:
		return errors.New("testbed: only root has a user namespace of root's")
	}
	a.Cloneflags |= unix.CLONE_NEWUSER
	if m.At != "" {
		a.Cloneflags |= unix.CLONE_NEWNS
	}
	if m.Apart {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: size}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: size}}
	if !m.Root { // whose capabilities in the new namespace would not survive the execve
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_RESOURCE}
	}
	return nil
}

// Machines makes a process with machineArg a machine, which executes its program. In another one it returns. The
// arguments are the Machine, the program and the program's.
func Machines() {
	if len(os.Args) < 5 || os.Args[1] != machineArg {
		return
	}
	args := os.Args[2:]
	runtime.LockOSThread() // whose capabilities the execve takes
	var m Machine
	err := json.Unmarshal([]byte(args[0]), &m)
	if err == nil {
		err = m.make()
	}
	if err == nil {
		err = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	}
	if err == nil {
		err = os.NewSyscallError(args[1], unix.Exec(args[1], args[2:], os.Environ()))
	}
	println("testbed: machine:", err.Error())
	os.Exit(70)
}

// make takes from this process, and from what it executes, what the machine lacks.
func (m *Machine) make() error {
	var deny []denial
	for _, l := range m.Lacks {
		var err error
		if strings.HasPrefix(string(l), "/proc/sys/") {
			err = os.WriteFile(string(l), []byte("0"), 0)
		} else if l == NoNamespaceLinks {
			err = hideLinks()
		}
		if err != nil {
			return err
		}
		deny = append(deny, denials()[l]...)
	}
	if err := m.show(); err != nil || len(deny) == 0 {
		return err
	}
	return os.NewSyscallError("seccomp", loadFilter(deny, unix.SECCOMP_FILTER_FLAG_TSYNC))
}

// show mounts At at Shown.
func (m *Machine) show() error {
	if m.At == "" {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("private mounts", err)
	}
	return os.NewSyscallError("bind "+m.Shown, unix.Mount(m.At, m.Shown, "", unix.MS_BIND|unix.MS_REC, ""))
}

// hideLinks hides the links of this process's namespaces, which it keeps over execve.
func hideLinks() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	return os.NewSyscallError("mount", unix.Mount("none", "/proc/self/ns", "tmpfs", unix.MS_RDONLY, ""))
}
