package shim_test

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// numbers are tries to execute a program by a descriptor, at every number that could be a special one: the one execve that
// is permitted has no number that could be had again.
func numbers() []way {
	all := []way{
		{"execveat-raised-limit", "EPERM", second, func() syscall.Errno { return byNumber(raised()) }},
		{"execveat-scm-rights", "EPERM", second, func() syscall.Errno { return execveat(received(open("/bin/echo")), "", unix.AT_EMPTY_PATH) }},
		{"execveat-f-dupfd", "EPERM", second, func() syscall.Errno {
			fd, err := unix.FcntlInt(uintptr(open("/bin/echo")), unix.F_DUPFD, 255)
			must(err)
			return execveat(fd, "", unix.AT_EMPTY_PATH)
		}},
	}
	for _, n := range []int{3, 5, 6, 100, 200, 255, 1023} { // 3, 5 and 6 were the launcher's
		all = append(all, way{"execveat-dup2-" + strconv.Itoa(n), "EPERM", second, func() syscall.Errno { return byNumber(n) }})
	}
	return all
}

// byNumber executes a program by a descriptor of this number.
func byNumber(n int) syscall.Errno {
	if fd := open("/bin/echo"); fd != n {
		must(unix.Dup3(fd, n, 0))
	}
	return execveat(n, "", unix.AT_EMPTY_PATH)
}

// raised raises the limit of open files as far as it goes, and returns the last number below it.
func raised() int {
	var l unix.Rlimit
	must(unix.Getrlimit(unix.RLIMIT_NOFILE, &l))
	l.Cur = l.Max
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &l))
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: l.Max + 1, Max: l.Max + 1}); err == nil && unix.Getuid() != 0 {
		tell("the hard limit was raised")
	}
	return int(min(l.Max, 1<<20)) - 1
}

// received is the same descriptor, sent and taken again.
func received(fd int) int {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(err)
	must(unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(fd), nil, 0))
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[1], make([]byte, 1), oob, 0)
	must(err)
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	must(err)
	fds, err := unix.ParseUnixRights(&messages[0])
	must(err)
	return fds[0]
}
