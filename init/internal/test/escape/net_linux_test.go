package escape_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// inNetworkEnv marks the process of this test that has a network namespace of its own.
const inNetworkEnv = "ESCAPE_TEST_IN_NETWORK"

// Addresses of the test's own network: the loopback's, and two that are not.
var hostAddresses = []string{"127.0.0.1", "203.0.113.7", "::1", "2001:db8::7"}

// addresses: in a network namespace that the test makes, the host listens at its loopback and at other addresses, by
// TCP, UDP and MPTCP. Of a server without network it hears nothing; in level network MPTCP is refused.
func addresses(t *testing.T, _ level) {
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestInNetwork$", "-test.v")
	cmd.Env = append(os.Environ(), inNetworkEnv+"=root")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}
	if !root() {
		cmd.Env = append(cmd.Env, inNetworkEnv+"=user")
		cmd.SysProcAttr = testbed.EveryRight(everyOther)
		cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWNET | unix.CLONE_NEWUSER
	}
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "--- PASS: TestInNetwork") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestInNetwork(t *testing.T) {
	if os.Getenv(inNetworkEnv) == "" {
		t.Skip("runs as a part of TestStories")
	}
	up(t)
	heard, port := listeners(t)
	var acts []string
	reaches := 0 // how many of them a plain program sends
	for _, a := range hostAddresses {
		family := "10"
		if strings.Contains(a, ".") {
			family = "2"
			acts = append(acts, "connect 10 1 6 "+a, "connect 10 2 17 "+a, "fast-open "+a) // v4-mapped
		}
		acts = append(acts, "connect "+family+" 1 6 "+a, "connect "+family+" 2 17 "+a, "connect "+family+" 1 262 "+a)
	}
	program := testbed.Self(t, adversaryName)
	s := stage(t)
	var command []string
	for _, a := range acts {
		command = append(append(command, "--"), strings.Fields(a+" "+port)...)
		before := heard.Load()
		if out := s.outside(t, program, false, a+" "+port); out.OK && hears(heard, before+1) {
			reaches++
		} else if !strings.Contains(a, " 262 ") { // a kernel may have no MPTCP
			t.Errorf("outside: %s: %+v", a, out)
		}
	}
	for _, l := range levels() {
		before := heard.Load()
		out, errs, code := launch(t, s, l, append([]string{program}, command...)...)
		inside := results(t, out)
		if code != 0 || len(inside) != len(acts) {
			t.Fatalf("%s: code %d, %s%s", l.name, code, out, errs)
		}
		for i, r := range inside {
			mptcp := strings.Contains(acts[i], " 262 ")
			// A datagram that is sent is refused later: to the own loopback, and with allowed domains to every address.
			sent := strings.Contains(acts[i], " 17 127.") || strings.Contains(acts[i], " 17 ::1") ||
				strings.Contains(acts[i], " 17 ") && l.name == "domains"
			if mptcp && r.Errno != "EAFNOSUPPORT" || r.OK && l.name != "network" && !sent {
				t.Errorf("%s: %s: %+v", l.name, acts[i], r)
			}
		}
		if l.name == "network" {
			hears(heard, before+1)
		}
		if n := heardSince(t, heard, port, before); (n != 0) != (l.name == "network") {
			t.Errorf("%s: the host heard %d", l.name, n)
		}
	}
	t.Logf("%d acts, %d reach a host without a sandbox", len(acts), reaches)
}

// hears waits until so much was heard.
func hears(heard *atomic.Int64, n int64) bool {
	return testbed.Comes(func() bool { return heard.Load() >= n })
}

// last is the word that is answered once it is counted.
const last = "last"

// heardSince is how much was heard since a count, with all that is on its way: the test's own word and connection come
// behind it.
func heardSince(t *testing.T, heard *atomic.Int64, port string, before int64) int64 {
	t.Helper()
	for _, network := range []string{"udp", "tcp"} {
		c, err := net.Dial(network, "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(testbed.Patience()))
		if network == "udp" {
			io.WriteString(c, last)
		}
		if _, err := c.Read(make([]byte, 64)); err != nil && !errors.Is(err, io.EOF) { // a connection is closed once it is counted
			t.Fatal(err)
		}
	}
	return heard.Load() - before - 2
}

// listeners count what comes in, on one port of every address.
func listeners(t *testing.T) (heard *atomic.Int64, port string) {
	t.Helper()
	heard = new(atomic.Int64)
	udp, tcp := samePort(t)
	t.Cleanup(func() { udp.Close() })
	port = strconv.Itoa(udp.LocalAddr().(*net.UDPAddr).Port)
	go func() {
		for b := make([]byte, 64); ; {
			n, from, err := udp.ReadFrom(b)
			if err != nil {
				return
			}
			heard.Add(1)
			if string(b[:n]) == last {
				udp.WriteTo(b[:n], from)
			}
		}
	}()
	t.Cleanup(func() { tcp.Close() })
	go func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			heard.Add(1)
			c.Close()
		}
	}()
	return heard, port
}

// samePort are two listeners on one port that the kernel chose for UDP. Another program's TCP may hold the same number,
// so another port is tried then.
func samePort(t *testing.T) (net.PacketConn, net.Listener) {
	t.Helper()
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_FASTOPEN, 16) })
	}}
	lc.SetMultipathTCP(true)
	for range 100 {
		udp, err := net.ListenPacket("udp", ":0")
		if err != nil {
			t.Fatal(err)
		}
		tcp, err := lc.Listen(t.Context(), "tcp", ":"+strconv.Itoa(udp.LocalAddr().(*net.UDPAddr).Port))
		if err == nil {
			return udp, tcp
		}
		udp.Close()
		if !errors.Is(err, unix.EADDRINUSE) {
			t.Fatal(err)
		}
	}
	t.Fatal("no port is free for UDP and TCP")
	return nil, nil
}

// up brings the loopback interface of this namespace up, with the addresses that are not the loopback's.
func up(t *testing.T) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING | unix.IFF_LOOPBACK)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		t.Fatal(err)
	}
	for _, a := range hostAddresses {
		if ip := net.ParseIP(a); !ip.IsLoopback() {
			if err := newAddress(ip); err != nil {
				t.Fatal(fmt.Errorf("%s: %w", a, err))
			}
			testbed.Await(t, "the route of "+a, func() bool {
				c, err := net.Dial("udp", net.JoinHostPort(a, "9"))
				if err == nil {
					c.Close()
				}
				return err == nil
			})
		}
	}
}

// newAddress is RTM_NEWADDR for the loopback interface; rtnetlink(7).
func newAddress(ip net.IP) error {
	family, raw := byte(unix.AF_INET6), []byte(ip.To16())
	if v4 := ip.To4(); v4 != nil {
		family, raw = unix.AF_INET, v4
	}
	size := byte(16 + 8 + 4 + len(raw))
	msg := append([]byte{size, 0, 0, 0, unix.RTM_NEWADDR, 0, unix.NLM_F_REQUEST | unix.NLM_F_ACK, 6, 1, 0, 0, 0, 0, 0, 0, 0,
		family, byte(8 * len(raw)), unix.IFA_F_NODAD, 0, 1, 0, 0, 0, byte(4 + len(raw)), 0, unix.IFA_LOCAL, 0}, raw...)
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, msg, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	if _, _, err := unix.Recvfrom(fd, answer, 0); err != nil {
		return err
	}
	if code := int32(uint32(answer[16]) | uint32(answer[17])<<8 | uint32(answer[18])<<16 | uint32(answer[19])<<24); code != 0 {
		return unix.Errno(-code)
	}
	return nil
}
