package testbed

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A Lack is a mechanism that a machine has not got.
type Lack string

const (
	NoUserNamespaces  Lack = "user namespaces, by sysctl"    // clone: ENOSPC
	NoNetNamespaces   Lack = "network namespaces, by sysctl" // clone: ENOSPC
	NoMountNamespaces Lack = "mount namespaces, by sysctl"   // clone: ENOSPC
	NoClone           Lack = "user namespaces, by a filter"  // clone, unshare: EPERM, as Docker's filter has it
	NoMount           Lack = "mounts"                        // mount, open_tree, fsopen, pivot_root, …: EPERM, as on Ubuntu 24.04
	NoLandlock        Lack = "Landlock"                      // ENOSYS, as a kernel without it
	NoNamespaceLinks  Lack = "links of namespaces"           // /proc/self/ns: empty, as in gVisor
	NoSeccomp         Lack = "seccomp"                       // EINVAL, as a kernel without it
)

// machineArg makes a test binary a machine without something.
const machineArg = "testbed-machine-without"

// A Machine is one that lacks something.
type Machine struct {
	Lacks []Lack
	// Root is true for a user namespace of root with all ids; it is for tests that run as root. Else it is one with
	// nobody in it but this test's user, and user 12345 if that is root.
	Root bool
	// At is a folder of the host's that it shows at Shown, another one; "" for none.
	At, Shown string
	// Overlay shows it through an overlayfs, whose upper layer is on a file system of its own and empty.
	Overlay bool
	// Apart is true where it has a network namespace of its own.
	Apart bool
}

// Ordinary is the user that a test of root's runs a command as.
const Ordinary = 12345

// Without is a machine on which cmd is run by an ordinary user.
func Without(tb testing.TB, cmd *exec.Cmd, lacks ...Lack) {
	tb.Helper()
	Machine{Lacks: lacks}.Put(tb, cmd)
}

// Put makes cmd run on the machine: in a user namespace, whose sysctls are its own, and behind a filter. The rest of the
// world sees nothing of it. Cmd must not be started yet; the program that it names is executed in the end, with its
// arguments, environment, files and folder. The test binary's TestMain has to call Run.
func (m Machine) Put(tb testing.TB, cmd *exec.Cmd) {
	tb.Helper()
	if cmd.Err != nil {
		tb.Fatal(cmd.Err)
	}
	words := make([]string, 0, len(m.Lacks))
	for _, l := range m.Lacks {
		words = append(words, string(l))
	}
	const self = "/proc/self/exe" // whatever folder it lies in
	cmd.Args = append([]string{self, machineArg, strings.Join(words, "+"), m.At, m.Shown, strconv.FormatBool(m.Overlay), cmd.Path}, cmd.Args...)
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
		tb.Fatal("testbed: only root has a user namespace of root's")
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
		if m.Overlay { // its folder for work has mode 0
			a.AmbientCaps = append(a.AmbientCaps, unix.CAP_DAC_OVERRIDE)
		}
	}
}

// machine is what a test binary with machineArg does: args are the lacks, the folder, where it is shown and whether through an overlayfs, the
// program and its arguments. It never returns.
func machine(args []string) {
	runtime.LockOSThread() // whose capabilities the execve takes
	fatal := func(what string, err error) {
		println("testbed: machine: "+what+":", err.Error())
		os.Exit(70)
	}
	var deny []denial
	for _, l := range strings.Split(args[0], "+") {
		if file := sysctl(Lack(l)); file != "" {
			if err := os.WriteFile(file, []byte("0"), 0); err != nil {
				fatal(file, err)
			}
		}
		if Lack(l) == NoNamespaceLinks {
			if err := hideLinks(); err != nil {
				fatal(l, err)
			}
		}
		deny = append(deny, denials(Lack(l))...)
	}
	if at, shown := args[1], args[2]; at != "" {
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			fatal("private mounts", err)
		}
		if args[3] == "true" {
			if err := overlay(at, shown); err != nil {
				fatal(NoOverlay, err)
			}
		} else if err := unix.Mount(at, shown, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			fatal("bind "+shown, err)
		}
	}
	if len(deny) > 0 {
		if err := loadFilter(deny); err != nil {
			fatal("filter", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		fatal("ambient capabilities", err)
	}
	fatal(args[4], unix.Exec(args[4], args[5:], os.Environ()))
}

// NoOverlay is in what a machine says that was to show a folder through an overlayfs and may not mount one.
const NoOverlay = "mount an overlayfs"

// overlay mounts one over a folder that nobody else sees. Its upper layer is on a tmpfs: with both layers on one file system
// overlayfs shows the numbers of that.
func overlay(at, shown string) error {
	if err := unix.Mount("upper", shown, "tmpfs", 0, ""); err != nil {
		return err
	}
	for _, dir := range []string{"/upper", "/work"} {
		if err := os.Mkdir(shown+dir, 0o755); err != nil {
			return err
		}
	}
	// userxattr is what a user namespace may have; filesystems/overlayfs.rst.
	return unix.Mount("overlay", shown, "overlay", 0, "userxattr,lowerdir="+at+",upperdir="+shown+"/upper,workdir="+shown+"/work")
}

// hideLinks hides the links of this process's namespaces, which it keeps over execve.
func hideLinks() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	return os.NewSyscallError("mount", unix.Mount("none", "/proc/self/ns", "tmpfs", unix.MS_RDONLY, ""))
}

// sysctl is the file that forbids a mechanism in the user namespace of whoever writes it.
func sysctl(l Lack) string {
	switch l {
	case NoUserNamespaces:
		return "/proc/sys/user/max_user_namespaces"
	case NoNetNamespaces:
		return "/proc/sys/user/max_net_namespaces"
	case NoMountNamespaces:
		return "/proc/sys/user/max_mnt_namespaces"
	}
	return ""
}
