package shim_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"golang.org/x/sys/unix"
)

// attemptFlag makes this test binary a server that makes one attempt and says how it went.
const attemptFlag = "-attempt-one-exec"

type way struct {
	name, want, control string // what is said behind the one execve, and in a server that may start others
	try                 func() syscall.Errno
}

const (
	sysFork, sysVfork = 57, 58 // of amd64; arm64 has neither
	made, second      = "made", "second"
)

func attempts() []way {
	all := []way{
		{"clone", "EPERM", made, func() syscall.Errno { return fork(unix.SYS_CLONE, uintptr(unix.SIGCHLD)) }},
		{"clone-high-bits", "EPERM", made, func() syscall.Errno { return fork(unix.SYS_CLONE, 1<<32|uintptr(unix.SIGCHLD)) }},
		{"clone-parent", "EPERM", "", func() syscall.Errno { return fork(unix.SYS_CLONE, unix.CLONE_PARENT) }},
		// Without CLONE_THREAD but on this memory: two would run on one stack, so these have no control but the next.
		{"clone-vm", "EPERM", "", func() syscall.Errno { return fork(unix.SYS_CLONE, unix.CLONE_VM|uintptr(unix.SIGCHLD)) }},
		{"clone-vm-sighand", "EPERM", "", func() syscall.Errno { return fork(unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_SIGHAND) }},
		{"clone-vm-vfork", "EPERM", made, func() syscall.Errno { return errno(exec.Command("/bin/true").Run()) }},
		{"clone3", "ENOSYS", "", func() syscall.Errno { return fork(unix.SYS_CLONE3, 0) }},
		{"execve", "ENOSYS", second, func() syscall.Errno { return execve("/bin/echo") }},
		{"execve-thread", "ENOSYS", second, inThread},
		{"proc-self-exe", "ENOSYS", second, func() syscall.Errno { return execve("/proc/self/exe", attemptFlag, second) }},
		{"memfd", "ENOSYS", second, func() syscall.Errno { return execve("/proc/self/fd/" + strconv.Itoa(memfd())) }},
		{"ld.so", "ENOSYS", second, func() syscall.Errno { return execve(loader(), "/bin/echo", second) }},
		{"execveat-absolute", "EPERM", second, func() syscall.Errno { return execveat(unix.AT_FDCWD, "/bin/echo", 0) }},
		{"execveat-dead-descriptor", "EPERM", second, func() syscall.Errno { return execveat(200, "/bin/echo", unix.AT_EMPTY_PATH) }},
		{"execveat-relative", "EPERM", second, func() syscall.Errno { return execveat(open("/bin"), "echo", 0) }},
		{"execveat-empty-path", "EPERM", second, func() syscall.Errno { return execveat(open("/bin/echo"), "", unix.AT_EMPTY_PATH) }},
		{"execveat-memfd", "EPERM", second, func() syscall.Errno { return execveat(memfd(), "", unix.AT_EMPTY_PATH) }},
		{"ptrace", "EPERM", "", func() syscall.Errno {
			_, _, e := syscall.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0, 0, 0, 0)
			return e
		}},
		{"tracer", "TracerPid: 0", "TracerPid: 0", func() syscall.Errno { tell(tracer()); return 0 }},
		{"threads", "fine", "fine", func() syscall.Errno { threads(); tell("fine"); return 0 }},
		{second, second, second, func() syscall.Errno { tell(second); return 0 }},
	}
	all = append(all, numbers()...)
	if runtime.GOARCH == "amd64" {
		all = append(all, way{"fork", "EPERM", made, func() syscall.Errno { return fork(sysFork, 0) }},
			way{"vfork", "EPERM", "", func() syscall.Errno { return fork(sysVfork, 0) }})
	}
	return all
}

func tell(s string) {
	fmt.Println(s)
	os.Exit(0)
}

// try makes an attempt in the server's process.
func try(words []string) int {
	for _, a := range attempts() {
		if a.name == words[0] {
			if e := a.try(); e != 0 {
				tell(unix.ErrnoName(e))
			}
			tell(made)
		}
	}
	return altered.ExitWrong
}

// fork ends the child at once if there is one.
func fork(nr, flags uintptr) syscall.Errno {
	runtime.LockOSThread()
	pid, _, e := syscall.RawSyscall6(nr, flags, 0, 0, 0, 0, 0)
	if pid == 0 && e == 0 {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return e
}

func execve(path string, args ...string) syscall.Errno {
	if len(args) == 0 {
		args = []string{second}
	}
	return errno(syscall.Exec(path, append([]string{path}, args...), nil))
}

func inThread() (e syscall.Errno) {
	var wait sync.WaitGroup
	wait.Go(func() { runtime.LockOSThread(); e = execve("/bin/echo") })
	wait.Wait()
	return e
}

func threads() {
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() { runtime.LockOSThread(); os.ReadFile("/proc/self/status") })
	}
	wait.Wait()
}

func open(path string) int {
	fd, err := unix.Open(path, unix.O_PATH, 0)
	must(err)
	return fd
}

func memfd() int {
	fd, err := unix.MemfdCreate("echo", 0)
	must(err)
	b, err := os.ReadFile("/bin/echo")
	must(err)
	_, err = unix.Write(fd, b)
	must(err)
	ro, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDONLY, 0) // a file open for writing is ETXTBSY
	must(err)
	must(unix.Close(fd))
	return ro
}

func loader() string {
	if runtime.GOARCH == "arm64" {
		return "/lib/ld-linux-aarch64.so.1"
	}
	return "/lib64/ld-linux-x86-64.so.2"
}

func tracer() string {
	b, err := os.ReadFile("/proc/self/status")
	must(err)
	_, rest, _ := strings.Cut(string(b), "TracerPid:")
	line, _, _ := strings.Cut(rest, "\n")
	return "TracerPid: " + strings.TrimSpace(line)
}

func must(err error) {
	if err != nil {
		println(err.Error())
		os.Exit(altered.ExitWrong)
	}
}

func errno(err error) (e syscall.Errno) {
	errors.As(err, &e)
	return e
}
