package pairs_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// A server makes attacks.
type server struct {
	places
	say   func(any) error
	after []func() // at the end of an act
}

// serve is the server: a line of the input is an attack's name, and the line behind that ends the attack.
func serve(words []string) int {
	s := &server{say: json.NewEncoder(os.Stdout).Encode}
	if err := json.Unmarshal([]byte(words[0]), &s.places); err != nil {
		return 70
	}
	all := everyAttack()
	_ = helper("nothing").Run() // which opens the runtime's own descriptors
	s.say(said{})
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		act := all[in.Text()]
		if act == nil {
			return 70
		}
		before := own()
		s.after = nil
		s.say(said{Text: alone(func() string { return act(s) })})
		in.Scan()
		for _, f := range s.after {
			f()
		}
		s.say(said{Left: own() - before})
	}
	return 0
}

// alone runs an act in a thread of its own, where signals interrupt no call, and which ends with the act.
func alone(act func() string) string {
	done := make(chan string)
	go func() {
		undisturbed()
		done <- act()
	}()
	return <-done
}

// undisturbed keeps the thread for the goroutine, and signals from the thread.
func undisturbed() {
	runtime.LockOSThread()
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil); err != nil {
		panic(err)
	}
}

// own is how many descriptors this process has.
func own() int {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	return len(all)
}

// closing closes a descriptor at the end of the act.
func (s *server) closing(fd int) int {
	s.after = append(s.after, func() { unix.Close(fd) })
	return fd
}

// tcp and udp are sockets that are closed at the end of the act.
func (s *server) tcp() int { return s.closing(tcp()) }
func (s *server) udp() int { return s.closing(udp()) }

func tcp() int { return socket(unix.SOCK_STREAM) }
func udp() int { return socket(unix.SOCK_DGRAM) }

func socket(kind int) int {
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		panic(fmt.Sprint("socket: ", err))
	}
	return fd
}

func local(port int) *unix.SockaddrInet4 {
	return &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: port}
}

// echo connects a new socket with the echo.
func (s *server) echo() int {
	fd := s.tcp()
	if err := unix.Connect(fd, local(s.Echo)); err != nil {
		panic(fmt.Sprint("connect: ", err))
	}
	return fd
}

// echoed is "ok" if a connected socket gets its bytes back.
func echoed(fd int) string {
	const text = "a line"
	if _, err := unix.Write(fd, []byte(text)); err != nil {
		return "write: " + nameOf(err)
	}
	var b [64]byte
	for n := 0; n < len(text); {
		got, err := unix.Read(fd, b[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || got == 0 {
			return fmt.Sprintf("read: %d %s", got, nameOf(err))
		}
		n += got
	}
	if string(b[:len(text)]) != text {
		return "other bytes"
	}
	return "ok"
}

// nameOf is "ok", or an errno's name.
func nameOf(err error) string {
	var e unix.Errno
	switch is := errors.As(err, &e); {
	case err == nil, is && e == 0:
		return "ok"
	case is:
		return unix.ErrnoName(e)
	}
	return err.Error()
}

// call is the name of a system call's errno.
func call(number int, args ...int) string {
	var a [6]uintptr
	for i, n := range args {
		a[i] = uintptr(n)
	}
	_, _, e := unix.Syscall6(uintptr(number), a[0], a[1], a[2], a[3], a[4], a[5])
	return nameOf(e)
}

// each is the different texts that some rounds come to, in the order in which they came.
type each []string

func (e *each) add(text string) {
	for _, old := range *e {
		if old == text {
			return
		}
	}
	*e = append(*e, text)
}

func (e each) String() string { return strings.Join(e, ", ") }
