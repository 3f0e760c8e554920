package escape_test

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// coreLimit makes the calls themselves: Go's own keep a copy.
func coreLimit([]string) (string, error) {
	if _, err := rawCall([]string{strconv.Itoa(unix.SYS_SETRLIMIT), strconv.Itoa(unix.RLIMIT_CORE), "b:16"}); err != nil {
		return "", err
	}
	if _, err := rawCall([]string{strconv.Itoa(unix.SYS_PRLIMIT64), "0", strconv.Itoa(unix.RLIMIT_CORE), "b:16", "0"}); err != nil {
		return "", err
	}
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &l); err != nil {
		return "", err
	}
	return "soft " + strconv.FormatUint(l.Cur, 10) + ", hard " + strconv.FormatUint(l.Max, 10), nil
}

// crash is ended by SIGABRT itself: 32 zero bytes of struct sigaction are SIG_DFL, in place of Go's handler. Another
// thread may take the signal, so this one waits for its end.
func crash([]string) (string, error) {
	if _, err := rawCall([]string{strconv.Itoa(unix.SYS_RT_SIGACTION), "6", "b:32", "0", "8"}); err != nil {
		return "", err
	}
	err := unix.Kill(unix.Getpid(), unix.SIGABRT)
	unix.Poll(nil, 60_000)
	return "", err
}

// owner is F_SETOWN with F_SETSIG and O_ASYNC; a word from the other end has the kernel send the signal.
func owner(args []string) (string, error) {
	pid, err := strconv.Atoi(args[0])
	if err != nil {
		return "", err
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return "", err
	}
	for _, c := range []struct{ command, arg int }{{unix.F_SETOWN, pid}, {unix.F_SETSIG, int(unix.SIGKILL)}, {unix.F_SETFL, unix.O_ASYNC | unix.O_NONBLOCK}} {
		if _, err := unix.FcntlInt(uintptr(fds[0]), c.command, c.arg); err != nil {
			return "", err
		}
	}
	_, err = unix.Write(fds[1], []byte("x"))
	return "asked for", err
}
