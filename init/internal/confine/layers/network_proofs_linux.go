package layers

import (
	"bytes"
	"net/netip"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// works reports whether the socket has its options and address, and is no longer open in init.
func (o *openedSocket) works(c *check) bool {
	if !c.succeeded(o.fd) {
		return false
	}
	for _, option := range o.options {
		if c.result(option.op) != "0" || c.Word32(option.at) != option.want {
			return false
		}
	}
	if o.address != nil && (c.result(o.name.op) != "0" ||
		!bytes.Equal(c.Bytes(o.name.at, len(o.address)), o.address)) {
		return false
	}
	return c.result(o.kept) == "EBADF"
}

// proveSockets proves the sockets but for the listeners, which the policy's entries have facts for.
func proveSockets(c *check, sockets []openedSocket, listed bool) {
	var want, got []string
	var refused []string
	var errno unix.Errno
	for i := range sockets {
		o := &sockets[i]
		if o.Kind == Listener {
			continue
		}
		if o.refused(c) {
			refused, errno = append(refused, o.String()), unix.Errno(c.Errno(o.fd))
			continue
		}
		want = append(want, o.String())
		if o.works(c) {
			got = append(got, o.String())
		}
	}
	if len(want) > 0 {
		c.fact("sockets of the launcher", strings.Join(want, ", "), strings.Join(got, ", "))
	}
	if len(refused) > 0 {
		name, what := toldPorts, "a refused port or datagram"
		if !listed {
			name, what = toldNames, "a name that the server looks up"
		}
		c.lacks(name, strings.Join(refused, ", "), "socket: "+platform.ErrnoName(errno),
			what+" is refused all the same, and nobody is told of it")
	}
}

// Facts about raw sockets that the machine refuses.
const (
	toldPorts = "refused ports and datagrams are told"
	toldNames = "refused look-ups are told"
)

// refused reports whether the machine refused a tap, and its stand-in was made and is not open in init either. Of
// another socket a refusal ends the launch before this.
func (o *openedSocket) refused(c *check) bool {
	return o.Kind >= TapTCP4 && c.Ran(o.fd) && c.Errno(o.fd) != 0 && c.succeeded(o.other) && c.result(o.kept) == "EBADF"
}

// proveEntries proves that each allowed entry has the listeners of its ports.
func proveEntries(c *check, rules *match.Rules, sockets []openedSocket) {
	var open [1 << 16 / 64]uint64
	for i := range sockets {
		if o := &sockets[i]; o.Kind == Listener && o.works(c) {
			open[o.Port/64] |= 1 << (o.Port % 64)
		}
	}
	for _, entry := range rules.Facts() {
		var got []uint16
		for _, port := range entry.Ports {
			if open[port/64]>>(port%64)&1 != 0 {
				got = append(got, port)
			}
		}
		c.fact("reachable "+entry.Text, portList(entry.Ports), portList(got))
	}
}

// refusePort proves that a port which no entry names is refused. The taps would receive it, so this is done before they
// are handed over.
func refusePort(b *build, named []uint16) func(*check) {
	port := otherPort(named)
	sock := b.Do(sys.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0))
	// A packet filter of the launcher's control group, as of a systemd unit with IPAddressDeny=, drops the packets of a
	// sandbox too: connect(2) would wait for minutes.
	b.Step(sys.SetSendTimeout(sock.Result(), 5))
	connect := b.Observe(sys.Connect(sock.Result(), socketAddress(documentation4, port)))
	return func(c *check) {
		c.fact("connect TCP "+netip.AddrPortFrom(documentation4, port).String(), "ECONNREFUSED", c.result(connect))
	}
}

// otherPort is a port that is not among these, which are in ascending order.
func otherPort(named []uint16) uint16 {
	port := uint16(9)
	for _, n := range named {
		if n == port {
			port++
		}
	}
	return port
}
