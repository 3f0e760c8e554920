package attempt

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

var errNobody = errors.New("no such process to be seen")

// processes counts what /proc shows beside this process. With a marker it is ok only if a command line holds it: numbers
// mean nothing across pid namespaces, a word chosen by the host does.
func processes(args []string) (Result, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return Result{}, err
	}
	self := strconv.Itoa(os.Getpid())
	var others []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil && e.Name() != self {
			others = append(others, e.Name())
		}
	}
	if len(args) == 0 {
		if len(others) == 0 {
			return Result{}, errNobody
		}
		return said("%d: %s", len(others), strings.Join(others, " "))
	}
	for _, pid := range others {
		line, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
		if err == nil && strings.Contains(string(line), args[0]) {
			return said("pid %s", pid)
		}
	}
	return Result{}, fmt.Errorf("%s: %w, %d others are", args[0], errNobody, len(others))
}

func kill(args []string) (Result, error) {
	pid, err := number(args[0])
	if err != nil {
		return Result{}, err
	}
	var sig unix.Signal
	if len(args) == 2 {
		if sig, err = signalNumber(args[1]); err != nil {
			return Result{}, err
		}
	}
	return Result{}, os.NewSyscallError("kill", unix.Kill(pid, sig))
}

// killSelf gives a signal that does not end the process a moment to be delivered.
func killSelf(args []string) (Result, error) {
	sig, err := signalNumber(args[0])
	if err != nil {
		return Result{}, err
	}
	if err := unix.Kill(unix.Getpid(), sig); err != nil {
		return Result{}, os.NewSyscallError("kill", err)
	}
	time.Sleep(50 * time.Millisecond)
	return said("survived")
}

// DaemonArg as the first argument makes a program that calls [Daemon] the process that "fork-daemon" leaves behind.
const DaemonArg = "daemon"

// forkDaemon starts this program again in a session of its own with nothing open but the null device, and does not
// wait. The program is found by its own name, for /proc/self/exe may not exist where this is tried.
func forkDaemon(args []string) (Result, error) {
	if _, err := duration(args[0]); err != nil {
		return Result{}, err
	}
	path, err := os.Executable()
	if err != nil {
		if path, err = exec.LookPath(os.Args[0]); err != nil {
			return Result{}, err
		}
	}
	cmd := exec.Command(path, DaemonArg, args[0])
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return Result{}, err
	}
	return said("pid %d", cmd.Process.Pid)
}

// Daemon is what DaemonArg asks for: it sleeps through SIGTERM, SIGHUP and SIGINT until the time is over, so a test that
// fails leaves nothing for ever.
func Daemon(wait string) error {
	signal.Ignore(unix.SIGTERM, unix.SIGHUP, unix.SIGINT)
	d, err := duration(wait)
	if err == nil {
		time.Sleep(d)
	}
	return err
}
