package places_test

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// A ban is one system call that a seal refuses: always, or where an argument has bits or a value.
type ban struct {
	nr    uintptr
	errno unix.Errno // 0: it kills, by SIGSYS
	arg   int
	bits  uint32
	value uint32
}

// seals are the machines that a filter stands for, by what they lack.
func seals() map[string][]ban {
	var mounts []ban
	for _, nr := range []uintptr{unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
		unix.SYS_MOUNT_SETATTR, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSPICK} {
		mounts = append(mounts, ban{nr: nr, errno: unix.EPERM})
	}
	killed := slices.Clone(mounts)
	for i := range killed {
		killed[i].errno = 0
	}
	odd := slices.Clone(mounts)
	for i := range odd {
		odd[i].errno = unix.EUCLEAN
	}
	system := slices.Clone(killed) // what systemd 252 has in no @system-service
	for _, nr := range []uintptr{unix.SYS_SECCOMP, unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_RESTRICT_SELF, unix.SYS_LANDLOCK_ADD_RULE,
		unix.SYS_PTRACE, unix.SYS_PIDFD_GETFD, unix.SYS_BPF, unix.SYS_SETHOSTNAME, unix.SYS_CHROOT} {
		system = append(system, ban{nr: nr})
	}
	var network, silent []ban
	for _, nr := range networkIO() {
		network, silent = append(network, ban{nr: nr}), append(silent, ban{nr: nr, errno: unix.EPERM})
	}
	landlock := []ban{{nr: unix.SYS_LANDLOCK_CREATE_RULESET, errno: unix.EOPNOTSUPP}, {nr: unix.SYS_LANDLOCK_RESTRICT_SELF, errno: unix.EOPNOTSUPP},
		{nr: unix.SYS_LANDLOCK_ADD_RULE, errno: unix.EOPNOTSUPP}}
	return map[string][]ban{
		"userns":   {{nr: unix.SYS_CLONE, errno: unix.EPERM, bits: unix.CLONE_NEWUSER}, {nr: unix.SYS_UNSHARE, errno: unix.EPERM, bits: unix.CLONE_NEWUSER}, {nr: unix.SYS_CLONE3, errno: unix.ENOSYS}},
		"netns":    {{nr: unix.SYS_CLONE, errno: unix.EPERM, bits: unix.CLONE_NEWNET}, {nr: unix.SYS_UNSHARE, errno: unix.EPERM, bits: unix.CLONE_NEWNET}, {nr: unix.SYS_CLONE3, errno: unix.ENOSYS}},
		"mounts":   mounts,
		"openat2":  {{nr: unix.SYS_OPENAT2, errno: unix.ENOSYS}},
		"netlink":  {{nr: unix.SYS_SOCKET, errno: unix.EAFNOSUPPORT, value: unix.AF_NETLINK}},
		"@mount":   killed,
		"odd":      odd,
		"one":      {{nr: unix.SYS_MOVE_MOUNT}},
		"late":     {{nr: unix.SYS_PRCTL, arg: 0, value: unix.PR_CAPBSET_DROP}},
		"clone":    {{nr: unix.SYS_CLONE, bits: unix.CLONE_NEWUSER}},
		"@keyring": {{nr: unix.SYS_KEYCTL}, {nr: unix.SYS_ADD_KEY}, {nr: unix.SYS_REQUEST_KEY}},
		"@system":  system,

		"@network-io": network, "@network-io, EPERM": silent, "sendmsg": {{nr: unix.SYS_SENDMSG}}, "socket": {{nr: unix.SYS_SOCKET}},
		"getpeername": {{nr: unix.SYS_GETPEERNAME}},

		"lo":       {{nr: unix.SYS_IOCTL, errno: unix.EPERM, arg: 1, value: unix.SIOCSIFFLAGS}},
		"landlock": landlock,
		"landlock, by a filter": {{nr: unix.SYS_LANDLOCK_CREATE_RULESET, errno: unix.EPERM}, {nr: unix.SYS_LANDLOCK_RESTRICT_SELF, errno: unix.EPERM},
			{nr: unix.SYS_LANDLOCK_ADD_RULE, errno: unix.EPERM}},
		"seccomp":  {{nr: unix.SYS_SECCOMP, errno: unix.ENOSYS}},
		"listener": nil,
	}
}

// networkIO is systemd's group of calls of that name.
func networkIO() []uintptr {
	return []uintptr{unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_BIND, unix.SYS_CONNECT, unix.SYS_GETPEERNAME, unix.SYS_GETSOCKNAME, unix.SYS_GETSOCKOPT,
		unix.SYS_LISTEN, unix.SYS_RECVFROM, unix.SYS_RECVMMSG, unix.SYS_RECVMSG, unix.SYS_SENDMMSG, unix.SYS_SENDMSG, unix.SYS_SENDTO,
		unix.SYS_SETSOCKOPT, unix.SYS_SHUTDOWN, unix.SYS_SOCKET, unix.SYS_SOCKETPAIR}
}

// seal is the way into such a place.
func seal(words []string) int {
	println(execSealed(words[0], words[1:]).Error())
	return testbed.WrongRole
}

// execSealed puts a filter on this process and executes a command. The listener of the one of that name stays open in it.
func execSealed(name string, command []string) error {
	bans, ok := seals()[name]
	if !ok {
		return errors.New("no seal " + name)
	}
	runtime.LockOSThread()
	prog := filter(bans)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	flags := uintptr(0)
	if name == "listener" {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	fd, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
	if e != 0 {
		return e
	}
	if flags != 0 {
		if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil {
			return err
		}
	}
	path := command[0]
	if !strings.Contains(path, "/") {
		return errors.New("seal: the command needs a path")
	}
	return unix.Exec(path, command, os.Environ())
}

// filter refuses what is banned and allows the rest; seccomp(2).
func filter(bans []ban) []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	ret := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	jump := func(how uint16, k uint32, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | how, K: k, Jf: no}
	}
	prog := []unix.SockFilter{load(0)}
	for _, b := range bans {
		refuse := ret(unix.SECCOMP_RET_ERRNO | uint32(b.errno))
		if b.errno == 0 {
			refuse = ret(unix.SECCOMP_RET_KILL_PROCESS)
		}
		if b.bits|b.value == 0 {
			prog = append(prog, jump(unix.BPF_JEQ, uint32(b.nr), 1), refuse)
			continue
		}
		test := jump(unix.BPF_JEQ, b.value, 1)
		if b.bits != 0 {
			test = jump(unix.BPF_JSET, b.bits, 1)
		}
		prog = slices.Concat(prog, []unix.SockFilter{jump(unix.BPF_JEQ, uint32(b.nr), 4), load(uint32(16 + 8*b.arg)), test, refuse, load(0)})
	}
	return append(prog, ret(unix.SECCOMP_RET_ALLOW))
}
