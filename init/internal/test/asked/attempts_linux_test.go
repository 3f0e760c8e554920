package asked_test

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"golang.org/x/sys/unix"
)

// An attempt is one system call.
type attempt struct {
	Name   string
	Number uintptr
	Args   [6]uintptr
}

// none is an argument that is no descriptor, no address, no process, no length: with it calls fail and change nothing.
const none = ^uintptr(0)

var nothing = [6]uintptr{none, none, none, none, none, none}

// unattempted are calls whose success would end the process, or wait for ever; vfork(2) returns twice on one stack.
// uretprobe and uprobe are of the kernel's own trampolines, and newer kernels ask no filter about them.
const unattempted = " exit exit_group rt_sigreturn pause vfork uretprobe uprobe "

// refusable are arguments of calls that depend on theirs: some that the filter refuses, and some that pass, neither of
// which does anything.
var refusable = map[string][2][6]uintptr{
	"clone":       {{unix.CLONE_NEWUSER | unix.CLONE_FS}, {unix.CLONE_THREAD}}, // EINVAL, both
	"ioctl":       {{none, unix.TIOCSTI}, {none, unix.TCGETS}},
	"prctl":       {{62, 99}, {none}},
	"seccomp":     {{unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER}, {none}},
	"personality": {{0x40000}, {none}},
	"prlimit64":   {{0, unix.RLIMIT_CORE, none}, {0, none}},
	"setrlimit":   {{unix.RLIMIT_CORE}, {none}},
	"renameat2":   {{none, 0, none, 0, unix.RENAME_WHITEOUT}, {none}},
	"chmod":       {{0, 0o4755}, {}},
	"fchmod":      {{none, 0o4755}, {none}},
	"creat":       {{0, 0o4755}, {}},
	"fchmodat":    {{none, 0, 0o4755}, {none}},
	"fchmodat2":   {{none, 0, 0o4755}, {none}},
	"open":        {{0, unix.O_CREAT, 0o4755}, {}},
	"openat":      {{none, 0, unix.O_CREAT, 0o4755}, {none}},
	"mknod":       {{0, unix.S_IFCHR}, {}},
	"mknodat":     {{none, 0, unix.S_IFCHR}, {none}},
	"socket":      {{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_SOCK_DIAG}, {unix.AF_INET, unix.SOCK_STREAM}},
	"socketpair":  {{unix.AF_INET, unix.SOCK_STREAM}, {unix.AF_UNIX, unix.SOCK_STREAM}},
}

// attempts are two of each call that this architecture has: the first with arguments that the filter refuses, if it
// refuses some, the second with others.
func attempts(t *testing.T) (names []string, all []attempt) {
	t.Helper()
	text, err := os.ReadFile("../../confine/seccomp/testdata/" + runtime.GOARCH + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 || strings.HasPrefix(line, "#") || strings.Contains(unattempted, " "+f[1]+" ") {
			continue
		}
		n, ok := seccomp.Number(f[1])
		if !ok || n == seccomp.NoNumber {
			t.Fatalf("%s has no number", f[1])
		}
		args, ok := refusable[f[1]]
		if !ok {
			args = [2][6]uintptr{nothing, nothing}
		}
		names = append(names, f[1])
		for _, a := range args {
			all = append(all, attempt{f[1], uintptr(n), a})
		}
	}
	return names, all
}

// makeAll makes calls on one thread and names the error of each; "0" for none.
func makeAll(calls []attempt) (errors []string) {
	runtime.LockOSThread()
	for _, c := range calls {
		r, _, e := syscall.RawSyscall6(c.Number, c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4], c.Args[5])
		if c.Name == "fork" && e == 0 && r == 0 {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		name := "0"
		if e != 0 {
			name = unix.ErrnoName(e)
		}
		errors = append(errors, name)
	}
	return errors
}
