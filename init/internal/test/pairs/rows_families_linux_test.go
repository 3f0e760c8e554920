package pairs_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// opens is a call that makes a descriptor.
func opens(number int, args ...int) func(*server) string {
	return func(s *server) string {
		var a [4]uintptr
		for i, n := range args {
			a[i] = uintptr(n)
		}
		fd, _, e := unix.Syscall6(uintptr(number), a[0], a[1], a[2], a[3], 0, 0)
		if e == 0 {
			s.closing(int(fd))
		}
		return nameOf(e)
	}
}

// families are X9: sockets that are no pairs.
func families() (all []attack) {
	const high = 1 << 32 // of which the kernel knows nothing
	const stream, dgram, cloexec = unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_CLOEXEC
	for _, r := range []struct {
		name                   string
		family, kind, protocol int
		control                string
	}{
		{"raw", unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP, "ok|EPERM"},
		{"raw of IPv6", unix.AF_INET6, unix.SOCK_RAW, unix.IPPROTO_RAW, "ok|EPERM"},
		{"ping", unix.AF_INET, dgram, unix.IPPROTO_ICMP, "ok|EACCES"},
		{"UDP-Lite", unix.AF_INET, dgram, unix.IPPROTO_UDPLITE, "ok|EPROTONOSUPPORT"},
		{"SCTP", unix.AF_INET, stream, unix.IPPROTO_SCTP, "ok|EPROTONOSUPPORT"},
		{"SCTP of messages", unix.AF_INET, unix.SOCK_SEQPACKET, unix.IPPROTO_SCTP, "ok|ESOCKTNOSUPPORT"},
		{"MPTCP", unix.AF_INET6, stream, unix.IPPROTO_MPTCP, "ok|EPROTONOSUPPORT|ENOPROTOOPT"},
		{"SMC", 43, stream, 0, "ok|EAFNOSUPPORT"},
		{"stream with a bit more", unix.AF_INET, stream | 16, 0, "EINVAL"},
		{"packet", unix.AF_PACKET, unix.SOCK_RAW, 0, "ok|EPERM"},
		{"netlink", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE, "ok"},
		{"VSOCK", unix.AF_VSOCK, stream, 0, "ok|EAFNOSUPPORT"},
		{"ALG", unix.AF_ALG, unix.SOCK_SEQPACKET, 0, "ok|EAFNOSUPPORT"},
		{"KCM", unix.AF_KCM, dgram, 0, "ok|EAFNOSUPPORT|EPROTONOSUPPORT"},
		{"XDP", unix.AF_XDP, unix.SOCK_RAW, 0, "ok|EPERM|EAFNOSUPPORT"},
		{"UNIX stream", unix.AF_UNIX, stream, 0, "ok"},
		{"UNIX datagram", unix.AF_UNIX, dgram, 0, "ok"},
		{"raw with a high word", unix.AF_INET + high, unix.SOCK_RAW + high, unix.IPPROTO_TCP, "ok|EPERM"},
	} {
		all = append(all, attack{name: "socket " + r.name, want: "EAFNOSUPPORT", control: r.control,
			act: opens(unix.SYS_SOCKET, r.family, r.kind|cloexec, r.protocol)})
	}
	if runtime.GOARCH == "amd64" {
		all = append(all,
			attack{name: "x32", act: func(*server) string { return call(unix.SYS_GETPID | 1<<30) }, want: "ENOSYS"},
			attack{name: "int 0x80", act: i386, want: "bad system call|" + noI386, control: "ended with 7|" + noI386})
	}
	return append(all,
		attack{name: "socketpair of datagrams", act: socketpairs(dgram), want: "EAFNOSUPPORT", control: "ok"},
		attack{name: "socket with high words", act: shut(unix.AF_INET+high, stream+high), want: "ok",
			control: "ENOTCONN"},
		attack{name: "stream is a pair", act: shut(unix.AF_INET, stream), want: "ok", control: "ENOTCONN"},
		attack{name: "stream of UDP", act: opens(unix.SYS_SOCKET, unix.AF_INET, stream, unix.IPPROTO_UDP),
			want: "EPROTONOSUPPORT", control: "EPROTONOSUPPORT"},
		attack{name: "datagrams of TCP", act: opens(unix.SYS_SOCKET, unix.AF_INET6, dgram, unix.IPPROTO_TCP),
			want: "EPROTONOSUPPORT", control: "EPROTONOSUPPORT"},
		attack{name: "datagram is a pair", act: shut(unix.AF_INET6, dgram), want: "ok", control: "ENOTCONN"},
		attack{name: "io_uring", act: ring, want: "ENOSYS", control: "ok|EPERM|ENOSYS"},
	)
}

func socketpairs(kind int) func(*server) string {
	return func(s *server) string {
		fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
		if err == nil {
			s.closing(fds[0])
			s.closing(fds[1])
		}
		return nameOf(err)
	}
}

// shut is shutdown(2) of a new socket, which only a connected one takes: a pair's end.
func shut(family, kind int) func(*server) string {
	return func(s *server) string {
		fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return "socket: " + nameOf(err)
		}
		return nameOf(unix.Shutdown(s.closing(fd), unix.SHUT_RD))
	}
}

func ring(s *server) string {
	_, at := pages(1)
	return opens(unix.SYS_IO_URING_SETUP, 4, at)(s)
}

// noI386 is the end of a program that makes such a call where the kernel has none, as by ia32_emulation=off.
const noI386 = "segmentation fault"

// i386 has a helper make a call of another architecture's.
func i386(*server) string {
	out, err := helper("i386").CombinedOutput()
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return fmt.Sprintf("%v %s", err, out)
	}
	if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
		return status.Signal().String()
	}
	return fmt.Sprintf("ended with %d", exit.ExitCode())
}

// jump32 is exit_group(7) by int 0x80.
func jump32() {
	b, at := pages(1)
	copy(b, []byte{0xb8, 252, 0, 0, 0, 0xbb, 7, 0, 0, 0, 0xcd, 0x80, 0xc3})
	if err := unix.Mprotect(b, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		println(err.Error())
		os.Exit(8)
	}
	faults()
	jump(uintptr(at))
}

// unixAddress is struct sockaddr_un of a name, and its length.
func unixAddress(name string) (at, size int) {
	b, at := pages(1)
	binary.NativeEndian.PutUint16(b, unix.AF_UNIX)
	copy(b[2:], name)
	if size = 2 + len(name); name[0] == '@' {
		b[2] = 0
	} else {
		size++
	}
	return at, size
}
