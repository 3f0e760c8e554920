package pairs_test

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// processes are X3, X4 and X6: descriptors that go to other processes, processes that end in a call, and limits.
func processes() []attack {
	return []attack{
		{name: "clone with CLONE_FILES", act: child(unix.CLONE_FILES), want: "0 ok"},
		{name: "fork", act: child(0), want: "0 ok"},
		{name: "fork, the forbidden port", act: childForbidden, want: "111 ENOTCONN", control: "0 ok"},
		{name: "vfork and execve", act: executed, want: "ok ok"},
		{name: "a passed descriptor", act: passed, want: "ok"},
		{name: "kill -9 in a call", act: ended("flood"), want: "ok"},
		{name: "execve in a call", act: ended("execve"), want: "ok"},
		{name: "threads end in a call", act: ended("threads"), want: "ok"},
		{name: "RLIMIT_NOFILE", act: fewFiles, want: "EMFILE ok"},
		{name: "sockets at once", act: many(unix.SOCK_STREAM), want: "512 ENFILE ok", control: "4000 ok"},
		{name: "sockets of datagrams at once", act: many(unix.SOCK_DGRAM), want: "256 ENFILE ok", control: "4000 ok"},
	}
}

// child has a child process connect the socket, and uses the connection here.
func child(flags int) func(*server) string {
	return func(s *server) string {
		fd := s.tcp()
		_, at := sockaddr(s.Echo)
		status, e := cloned(uintptr(flags), uintptr(fd), uintptr(at), 16)
		if e != 0 {
			return "clone: " + nameOf(e)
		}
		return fmt.Sprint(status, " ", echoed(fd))
	}
}

func childForbidden(s *server) string {
	fd := s.tcp()
	_, at := sockaddr(s.Forbidden)
	status, e := cloned(0, uintptr(fd), uintptr(at), 16)
	if e != 0 {
		return "clone: " + nameOf(e)
	}
	_, err := unix.Getpeername(fd)
	return fmt.Sprint(status, " ", nameOf(err))
}

// executed has a new program connect the socket, which has that as its standard input.
func executed(s *server) string {
	fd := s.tcp()
	file := os.NewFile(uintptr(dup(fd)), "socket")
	defer file.Close()
	cmd := helper("connect", strconv.Itoa(s.Echo))
	cmd.Stdin = file
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%v %s", err, out)
	}
	return string(out) + " " + echoed(fd)
}

// passed sends the socket to itself, and closes what was sent while the call comes.
func passed(s *server) string {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nameOf(err)
	}
	s.closing(pair[0])
	s.closing(pair[1])
	var seen each
	for range s.Many / 10 {
		fd := tcp()
		if err := unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(fd), nil, 0); err != nil {
			return nameOf(err)
		}
		var oob [64]byte
		_, n, _, _, err := unix.Recvmsg(pair[1], make([]byte, 1), oob[:], unix.MSG_CMSG_CLOEXEC)
		if err != nil {
			return nameOf(err)
		}
		messages, _ := unix.ParseSocketControlMessage(oob[:n])
		fds, err := unix.ParseUnixRights(&messages[0])
		if err != nil {
			return err.Error()
		}
		closed := make(chan struct{})
		go func() { unix.Close(fd); close(closed) }()
		seen.add(nameOf(unix.Connect(fds[0], local(s.Echo))))
		<-closed
		seen.add(echoed(fds[0]))
		unix.Close(fds[0])
	}
	return seen.String()
}

// ended has processes end while their threads are in calls, and connects meanwhile.
func ended(how string) func(*server) string {
	return func(s *server) string {
		for range max(s.Many/100, 10) {
			cmd := helper(how, strconv.Itoa(s.Echo))
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				return err.Error()
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			if how == "flood" {
				_ = cmd.Process.Kill()
			}
			err = cmd.Wait()
			if line != "begun\n" || how != "flood" && err != nil {
				return fmt.Sprintf("%q %v", line, err)
			}
			fd := tcp()
			text := nameOf(unix.Connect(fd, local(s.Echo)))
			if text == "ok" {
				text = echoed(fd)
			}
			unix.Close(fd)
			if text != "ok" {
				return text
			}
		}
		return "ok"
	}
}

// busy makes calls of all kinds in threads, until the process ends. It returns once each thread has begun.
func busy(port int) {
	var begun sync.WaitGroup
	for range 4 {
		begun.Add(1)
		go func() {
			runtime.LockOSThread()
			for i := 0; ; i++ {
				if i == 1 {
					begun.Done()
				}
				if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err == nil {
					_ = unix.Connect(fd, local(port))
					_, _ = unix.Getsockname(fd)
					unix.Close(fd)
				}
			}
		}()
	}
	begun.Wait()
	fmt.Println("begun")
}

// shortLived are threads that end after a call.
func shortLived(port int) {
	fmt.Println("begun")
	for range 50 {
		done := make(chan struct{})
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends
			defer close(done)
			fd := tcp()
			_ = unix.SetNonblock(fd, true)
			_ = unix.Connect(fd, local(port))
			unix.Close(fd)
		}()
		<-done
	}
}

// fewFiles has room for no descriptor more, and then again.
func fewFiles(s *server) string {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err.Error()
	}
	few := limit
	few.Cur = 20
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		return err.Error()
	}
	var fds []int
	var err error
	for range max(600, s.Many) { // the same
		var fd int
		if fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err == nil {
			fds = append(fds, fd)
		}
	}
	for _, fd := range fds {
		unix.Close(fd)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err.Error()
	}
	return nameOf(err) + " " + echoed(s.echo())
}

// many makes 4,000 sockets at once, or as many as there may be, and uses one afterwards.
func many(kind int) func(*server) string {
	return func(s *server) string {
		var fds []int
		var last string
		for len(fds) < 4000 {
			fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				last = nameOf(err) + " "
				break
			}
			fds = append(fds, fd)
		}
		for _, fd := range fds {
			unix.Close(fd)
		}
		ready := testbed.Comes(func() bool { // the launcher hears of the ends
			fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
			if err == nil {
				unix.Close(fd)
			}
			return err == nil
		})
		if !ready {
			return "no socket any more"
		}
		return fmt.Sprint(len(fds), " ", last, echoed(s.echo()))
	}
}
