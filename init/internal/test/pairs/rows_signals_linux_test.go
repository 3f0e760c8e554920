package pairs_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// signals are X8: a signal each 150 µs while a thread makes sockets and connects them.
func signals() []attack {
	return []attack{
		{name: "signals with SA_RESTART", act: interrupted(true, blocking), want: "ok"},
		{name: "signals without SA_RESTART", act: interrupted(false, blocking), want: "ok"},
		{name: "signals without SA_RESTART, not blocking", act: interrupted(false, later), want: "ok"},
		{name: "signals and refusals", act: interrupted(true, refusedPort), want: "ok"},
		{name: "signals and SO_ERROR", act: pendingErrors, want: "ok"},
		{name: "a signal ends a connect that waits", act: oneSignal, want: "EINTR EALREADY"},
	}
}

const saRestart = 0x10000000 // SA_RESTART

// interrupted has signals come to a thread that makes rounds.
func interrupted(restart bool, round func(*server, int) string) func(*server) string {
	return func(s *server) string {
		came := make(chan os.Signal, 1)
		signal.Notify(came, unix.SIGALRM)
		defer signal.Stop(came)
		kernelRestarts(restart)
		defer kernelRestarts(true)
		result := make(chan string)
		go func() {
			runtime.LockOSThread()
			stop := alarms()
			defer stop()
			var seen each
			for range s.Many {
				seen.add(rightAfter(s, restart, round))
			}
			<-came // control: there are signals
			result <- seen.String()
		}()
		return <-result
	}
}

// rightAfter is a round with a new socket, which may not be had for a signal where calls are not restarted.
func rightAfter(s *server, restart bool, round func(*server, int) string) string {
	for {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		switch {
		case err == unix.EINTR && !restart:
			continue
		case err != nil:
			return "socket: " + nameOf(err)
		}
		text := round(s, fd)
		unix.Close(fd)
		if text == "EINTR" && !restart {
			text = "ok"
		}
		return text
	}
}

// repeated connects with the echo, again after EINTR: the launcher may not have seen the first call, or that was right.
func repeated(s *server, fd int) string {
	text := nameOf(unix.Connect(fd, local(s.Echo)))
	for text == "EINTR" {
		if text = nameOf(unix.Connect(fd, local(s.Echo))); text == "EISCONN" {
			text = "ok"
		}
	}
	return text
}

// blocking waits for the connection in connect(2), and later does so in poll(2).
func blocking(s *server, fd int) string {
	if text := repeated(s, fd); text != "ok" {
		return text
	}
	return completed(fd)
}

func later(s *server, fd int) string {
	_ = unix.SetNonblock(fd, true)
	text := repeated(s, fd)
	if text != "ok" && text != "EALREADY" && text != "EINPROGRESS" {
		return text
	}
	return completed(fd)
}

func refusedPort(s *server, fd int) string {
	if text := nameOf(unix.Connect(fd, local(s.Dead))); text != "ECONNREFUSED" {
		return text
	}
	return "ok"
}

// pendingErrors reads the errors of connections that were refused. A signal that comes with the answer may take one, but
// not each twentieth.
func pendingErrors(s *server) string {
	lost := 0
	text := interrupted(true, func(s *server, fd int) string {
		_ = unix.SetNonblock(fd, true)
		switch text := nameOf(unix.Connect(fd, local(s.Dead))); text {
		case "ECONNREFUSED":
			return "ok"
		case "EINPROGRESS", "EALREADY":
		default:
			return text
		}
		wait(fd, unix.POLLOUT)
		n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		if n == 0 {
			lost++
		}
		return nameOf(err)
	})(s)
	if lost > max(10, s.Many/100) {
		text += fmt.Sprint(" ", lost, " lost")
	}
	return text
}

// completed waits for a connection that was begun, and has its error, or its peer's.
func completed(fd int) string {
	wait(fd, unix.POLLOUT)
	for {
		n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return "SO_ERROR: " + nameOf(err)
		case n != 0:
			return "SO_ERROR: " + unix.ErrnoName(unix.Errno(n))
		}
		if _, err = unix.Getpeername(fd); err != unix.EINTR {
			return nameOf(err)
		}
	}
}

// kernelRestarts changes the flags of the runtime's handler of SIGALRM.
func kernelRestarts(on bool) {
	b, at := pages(1)
	if text := call(unix.SYS_RT_SIGACTION, int(unix.SIGALRM), 0, at, 8); text != "ok" {
		panic(text)
	}
	flags := binary.NativeEndian.Uint64(b[8:]) &^ saRestart // struct sigaction: the handler, the flags
	if on {
		flags |= saRestart
	}
	binary.NativeEndian.PutUint64(b[8:], flags)
	if text := call(unix.SYS_RT_SIGACTION, int(unix.SIGALRM), at, 0, 8); text != "ok" {
		panic(text)
	}
}

// alarms send this thread SIGALRM each 150 µs: timer_create(2), SIGEV_THREAD_ID.
func alarms() (stop func()) {
	b, at := pages(1)
	binary.NativeEndian.PutUint32(b[8:], uint32(unix.SIGALRM))
	binary.NativeEndian.PutUint32(b[12:], 4)
	binary.NativeEndian.PutUint32(b[16:], uint32(unix.Gettid()))
	if text := call(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, at, at+128); text != "ok" {
		panic("timer_create: " + text)
	}
	timer := int(binary.NativeEndian.Uint32(b[128:]))
	for _, i := range []int{264, 280} { // struct itimerspec at 256
		binary.NativeEndian.PutUint64(b[i:], 150_000)
	}
	if text := call(unix.SYS_TIMER_SETTIME, timer, 0, at+256, 0); text != "ok" {
		panic("timer_settime: " + text)
	}
	return func() { call(unix.SYS_TIMER_DELETE, timer) }
}

// oneSignal sends a signal to a thread that waits in connect(2).
func oneSignal(s *server) string {
	came := make(chan os.Signal, 1)
	signal.Notify(came, unix.SIGALRM)
	defer signal.Stop(came)
	kernelRestarts(false)
	defer kernelRestarts(true)
	fd := s.tcp()
	ids, result := make(chan int), make(chan string)
	go func() {
		runtime.LockOSThread()
		ids <- unix.Gettid()
		result <- nameOf(unix.Connect(fd, local(s.Full)))
	}()
	thread := <-ids
	sleeps(thread, unix.SYS_CONNECT, nil)
	call(unix.SYS_LISTEN, s.tcp(), 1) // is answered after that
	if err := unix.Tgkill(os.Getpid(), thread, unix.SIGALRM); err != nil {
		return err.Error()
	}
	<-came
	first := <-result
	_ = unix.SetNonblock(fd, true)
	return strings.TrimSpace(fmt.Sprint(first, " ", nameOf(unix.Connect(fd, local(s.Full)))))
}
