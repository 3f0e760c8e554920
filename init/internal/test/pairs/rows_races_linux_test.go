package pairs_test

import (
	"encoding/binary"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// races are X1, X2 and more: another thread changes what a call is about.
func races() []attack {
	return []attack{
		{name: "flip the port", act: flip, want: "both", control: "forbidden too"},
		{name: "dup2 over the descriptor", act: exchange((*server).tcp), want: "ok"},
		{name: "dup2 over an ended one", act: exchange(endedStream), want: "ok"},
		{name: "dup2 over ended datagrams", act: exchange(endedDatagrams), want: "ok"},
		{name: "close a connect's descriptor", act: closeMeanwhile, want: "ECONNABORTED", control: "waits"},
		{name: "two threads connect", act: twoConnect, want: "EISCONN ok, ok ok|EISCONN ok|ok ok"},
		{name: "two threads wait to connect", act: twoWait, want: "ECONNABORTED ECONNABORTED",
			control: "ECONNRESET EPIPE"},
	}
}

// beside runs functions again and again, each in a thread of its own, until stop, which waits for their ends.
func beside(all ...func()) (stop func()) {
	var over atomic.Bool
	var running sync.WaitGroup
	for _, again := range all {
		running.Go(func() {
			runtime.LockOSThread()
			for !over.Load() {
				again()
			}
		})
	}
	return func() { over.Store(true); running.Wait() }
}

// flip changes the port that connect(2) reads, between one of the policy and the forbidden one.
func flip(s *server) string {
	b, at := sockaddr(s.Echo)
	right, wrong := b[:16:16], make([]byte, 16)
	copy(wrong, right)
	right = slices.Clone(right)
	binary.BigEndian.PutUint16(wrong[2:], uint16(s.Forbidden))
	stop := beside(func() {
		copy(b, wrong)
		copy(b, right)
	})
	defer stop()
	var allowed, refused, forbidden int
	for i := 0; i < s.Many || allowed == 0 || refused+forbidden == 0; i++ {
		fd := tcp()
		_ = unix.SetNonblock(fd, i%2 == 0)
		text := call(unix.SYS_CONNECT, fd, at, 16)
		if peer, err := unix.Getpeername(fd); err == nil && peer.(*unix.SockaddrInet4).Port == s.Forbidden {
			forbidden++
		}
		unix.Close(fd)
		switch text {
		case "ok", "EINPROGRESS":
			allowed++
		case "ECONNREFUSED":
			refused++
		default:
			return text
		}
	}
	if forbidden > 0 {
		return "forbidden too"
	}
	return "both"
}

// exchange puts other descriptors in the place of the one that calls are about.
func exchange(first func(*server) int) func(*server) string {
	return func(s *server) string {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err.Error()
		}
		others := []int{first(s), s.closing(pair[0]), 0, s.echo()}
		s.closing(pair[1])
		fd := s.closing(dup(others[0]))
		i := 0
		stop := beside(func() {
			i++
			_ = unix.Dup3(others[i%len(others)], fd, unix.O_CLOEXEC)
		})
		defer stop()
		_, allowed := sockaddr(s.Echo)
		_, forbidden := sockaddr(s.Forbidden)
		path, pathSize := unixAddress(s.Path + "p")
		name, nameSize := unixAddress("@" + s.Path + "s")
		for range s.Many {
			call(unix.SYS_CONNECT, fd, allowed, 16)
			call(unix.SYS_BIND, fd, allowed, 16)
			call(unix.SYS_CONNECT, fd, forbidden, 16) // is right for datagrams
			for _, bad := range []string{call(unix.SYS_CONNECT, fd, path, pathSize),
				call(unix.SYS_CONNECT, fd, name, nameSize), call(unix.SYS_LISTEN, fd, 8)} {
				if bad == "ok" && s.Launched {
					return "a call that must not be right"
				}
			}
			call(unix.SYS_SENDTO, fd, forbidden, 8, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, path, pathSize)
		}
		return "ok"
	}
}

func dup(fd int) int {
	fd, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		panic(err)
	}
	return fd
}

// endedStream and endedDatagrams are sockets whose other end the launcher has closed.
func endedStream(s *server) int    { return s.ended(unix.SOCK_STREAM) }
func endedDatagrams(s *server) int { return s.ended(unix.SOCK_DGRAM) }

func (s *server) ended(kind int) int {
	fd := s.closing(socket(kind))
	if unix.Shutdown(fd, unix.SHUT_WR) == nil { // without a launcher ENOTCONN
		wait(fd, unix.POLLHUP)
	}
	return fd
}

// wait waits for events of a descriptor.
func wait(fd int, events int16) int16 {
	p := []unix.PollFd{{Fd: int32(fd), Events: events}}
	for {
		if n, err := unix.Poll(p, -1); n == 1 && err == nil && p[0].Revents&(events|unix.POLLERR|unix.POLLNVAL) != 0 {
			return p[0].Revents
		}
	}
}

// connecting has threads connect one socket to a port, and waits until they sleep in the call or are over. The results
// come in the order of the ends.
func (s *server) connecting(fd, port, threads int) <-chan string {
	all, ids, over := make(chan string, threads), make(chan int), make(chan bool, threads)
	for range threads {
		go func() {
			undisturbed()
			ids <- unix.Gettid()
			text := nameOf(unix.Connect(fd, local(port)))
			over <- true
			all <- text
		}()
	}
	for range threads {
		sleeps(<-ids, unix.SYS_CONNECT, over)
	}
	call(unix.SYS_LISTEN, s.tcp(), 1) // is answered after those
	return all
}

// sleeps waits until a thread of this process sleeps in a call, or until a channel has something.
func sleeps(thread, number int, over chan bool) {
	testbed.Comes(func() bool { return len(over) > 0 || testbed.Call(os.Getpid(), thread) == number })
}

// closeMeanwhile closes the descriptor of a connect(2) that waits.
func closeMeanwhile(s *server) string {
	fd := tcp()
	all := s.connecting(fd, s.Full, 1)
	unix.Close(fd)
	if !s.Launched { // the call has the file
		return "waits"
	}
	return <-all
}

// twoConnect has two threads connect the same socket.
func twoConnect(s *server) string {
	var seen each
	for range s.Many / 10 {
		fd := tcp()
		all := s.connecting(fd, s.Echo, 2)
		both := []string{<-all, <-all}
		slices.Sort(both)
		seen.add(strings.Join(both, " "))
		unix.Close(fd)
	}
	slices.Sort(seen)
	return seen.String()
}

// twoWait has two threads wait for one connection, which shutdown(2) ends.
func twoWait(s *server) string {
	fd := s.tcp()
	all := s.connecting(fd, s.Full, 2)
	if err := unix.Shutdown(fd, unix.SHUT_RDWR); err != nil {
		return "shutdown: " + nameOf(err)
	}
	both := []string{<-all, <-all}
	slices.Sort(both)
	return strings.Join(both, " ")
}
