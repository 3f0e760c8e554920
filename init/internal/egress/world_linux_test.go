package egress

import (
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A world is an engine between two network namespaces, in each of which every address is local. The test's thread is in
// the host's one, and serves the engine itself: so nothing happens while a test looks.
type world struct {
	*Engine
	t               *testing.T
	inside, outside int // namespaces
	said            []order.Denied
	tally           tally.Tally
}

// newWorld serves port 443 and ports of the list. hosts is the text of the host's hosts(5); its nameserver is silent.
func newWorld(t *testing.T, hosts string, n policy.Network) *world {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root makes a network namespace without a user namespace")
	}
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	w := &world{t: t}
	w.inside, w.outside = w.namespace(), w.namespace()
	dir := t.TempDir()
	w.write(filepath.Join(dir, "hosts"), hosts)
	w.write(filepath.Join(dir, "resolv.conf"), "nameserver 127.0.0.1\n")
	silent := w.socket(unix.SOCK_DGRAM)
	w.must(unix.Bind(silent, &unix.SockaddrInet4{Port: 53}))
	var sockets []layers.Carried
	w.in(w.inside, func() { sockets = w.sockets() })
	w.tally.Report = func(d *order.Denied) { w.said = append(w.said, *d) }
	var err error
	w.Engine, err = New(Config{Sockets: sockets, Network: n, Tally: &w.tally,
		Resolve: resolve.Config{Hosts: filepath.Join(dir, "hosts"), Resolv: filepath.Join(dir, "resolv.conf")}})
	w.must(err)
	t.Cleanup(w.Close)
	w.Begin()
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(path, text string) { w.must(os.WriteFile(path, []byte(text), 0o600)) }

// sockets are some of those that init makes.
func (w *world) sockets() (all []layers.Carried) {
	for _, port := range []uint16{80, 443} {
		fd := w.listener(port)
		all = append(all, layers.Carried{EgressSocket: layers.EgressSocket{Kind: layers.Listener, Port: port}, FD: fd})
	}
	raw, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_TCP)
	w.must(err)
	return append(all, layers.Carried{EgressSocket: layers.EgressSocket{Kind: layers.TapTCP4}, FD: raw})
}

func (w *world) socket(kind int) int {
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	w.must(err)
	return fd
}

func (w *world) listener(port uint16) int {
	fd := w.socket(unix.SOCK_STREAM)
	w.must(unix.Bind(fd, &unix.SockaddrInet4{Port: int(port)}))
	w.must(unix.Listen(fd, 1024))
	return fd
}

// server listens on a port of the host's side.
func (w *world) server(port uint16) (listener int) {
	listener = w.listener(port)
	w.t.Cleanup(func() { unix.Close(listener) })
	return listener
}

// connect is a connection of the server's to an address.
func (w *world) connect(to netip.Addr, port uint16) (fd int) {
	w.t.Helper()
	w.in(w.inside, func() { fd = w.socket(unix.SOCK_STREAM) })
	if err := unix.Connect(fd, &unix.SockaddrInet4{Addr: to.As4(), Port: int(port)}); err != nil && err != unix.EINPROGRESS {
		w.t.Fatal(err)
	}
	return fd
}

// handle is the address that a name has inside.
func (w *world) handle(name, real string) netip.Addr {
	w.t.Helper()
	a, err := w.table.Handle(name, false, []netip.Addr{netip.MustParseAddr(real)})
	w.must(err)
	return a
}

// until serves the engine until something holds.
func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); {
		if time.Now().After(end) {
			w.t.Fatal("never: " + what)
		}
		unix.Poll([]unix.PollFd{{Fd: int32(w.FD()), Events: unix.POLLIN}}, 5)
		w.Serve()
	}
}

// read is what a read of a connection says once there is something.
func (w *world) read(fd int) (text string, err error) {
	w.t.Helper()
	b := make([]byte, 1<<16)
	w.until("something to read", func() bool {
		var n int
		if n, err = unix.Read(fd, b); err != unix.EAGAIN {
			text = string(b[:max(n, 0)])
			return true
		}
		return false
	})
	return text, err
}

// in runs act in a namespace.
func (w *world) in(namespace int, act func()) {
	w.t.Helper()
	w.must(unix.Setns(namespace, unix.CLONE_NEWNET))
	act()
	w.must(unix.Setns(w.outside, unix.CLONE_NEWNET))
}

// namespace makes one and enters it.
func (w *world) namespace() int {
	w.t.Helper()
	w.must(unix.Unshare(unix.CLONE_NEWNET))
	fd, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	w.must(err)
	w.t.Cleanup(func() { unix.Close(fd) })
	s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	w.must(err)
	defer unix.Close(s)
	const create = unix.NLM_F_CREATE | unix.NLM_F_EXCL
	w.request(s, unix.RTM_NEWLINK, 0, append([]byte{unix.AF_UNSPEC, 0, 0, 0}, native(1, unix.IFF_UP, unix.IFF_UP)...))
	own := ownIPv4.AsSlice()
	w.request(s, unix.RTM_NEWADDR, create, slices.Concat([]byte{unix.AF_INET, 32, 0, unix.RT_SCOPE_UNIVERSE}, native(1),
		attribute(unix.IFA_LOCAL, own), attribute(unix.IFA_ADDRESS, own)))
	w.request(s, unix.RTM_NEWROUTE, create, slices.Concat([]byte{unix.AF_INET, 0, 0, 0, unix.RT_TABLE_MAIN, unix.RTPROT_STATIC,
		unix.RT_SCOPE_HOST, unix.RTN_LOCAL}, native(0), attribute(unix.RTA_OIF, native(1)), attribute(unix.RTA_PREFSRC, own)))
	return fd
}

func (w *world) request(s int, kind, flags uint16, body []byte) {
	w.t.Helper()
	flags |= unix.NLM_F_REQUEST | unix.NLM_F_ACK
	b := slices.Concat(native(uint32(unix.NLMSG_HDRLEN+len(body)), uint32(kind)|uint32(flags)<<16, 1, 0), body)
	w.must(unix.Sendto(s, b, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}))
	answer := make([]byte, 4096)
	n, err := unix.Read(s, answer)
	w.must(err)
	if n < 20 || answer[16]|answer[17]|answer[18]|answer[19] != 0 {
		w.t.Fatalf("netlink, message type %d: % x", kind, answer[:n])
	}
}

// native writes words as amd64 and arm64 do.
func native(words ...uint32) (b []byte) {
	for _, w := range words {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return b
}

func attribute(kind uint16, value []byte) []byte {
	return append(native(uint32(4+len(value))|uint32(kind)<<16), value...)
}
