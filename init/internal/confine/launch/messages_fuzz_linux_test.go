package launch

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// deliver sends messages as bytes tell: how long the next is and how many descriptors it carries, and its text. One with
// the largest length has more behind that than any may have. The socket is closed then.
func deliver(socket, fd int, all []byte) {
	for len(all) > 1 {
		size, n := int(all[0]), int(all[1])
		if n > mostCarried {
			n = mostCarried
		}
		if all = all[2:]; size > len(all) {
			size = len(all)
		}
		var rights []byte
		if n > 0 {
			fds := make([]int, n)
			for i := range fds {
				fds[i] = fd
			}
			rights = unix.UnixRights(fds...)
		}
		text := all[:size]
		if size == 255 {
			text = append(slices.Clip(text), make([]byte, 2*layers.PacketSize)...)
		}
		if unix.Sendmsg(socket, text, rights, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL) != nil {
			break // there is no room for more
		}
		all = all[size:]
	}
	unix.Close(socket)
}

// seeds are the messages that there are, and some that are not.
func seeds(f *testing.F) {
	one := func(text string, files byte) []byte { return append([]byte{byte(len(text)), files}, text...) }
	streams, cloned := one(layers.MsgStreams, 3), one(layers.MsgCloned, 0)
	reaped, signal := one(layers.MsgEnded, 0), one("\x0f\x00\x00\x00", 0)
	for _, all := range [][][]byte{{}, {streams, cloned, signal, reaped}, {cloned, reaped}, {streams, streams},
		{streams, one(layers.MsgListener, 1), one(layers.MsgListener, 1)},
		{one(layers.MsgMounts, 1), one(layers.MsgMounts, 1)}, {one(layers.MsgEgress, 5)},
		{one(layers.MsgRoom, 1), one(layers.MsgRoom, 1), one(layers.MsgPublish, layers.PublishReady)},
		{one(layers.MsgReady, 0), one(layers.MsgReady, 0)}, {one(layers.MsgStreams, 253)},
		{one(layers.MsgPacket+"E", 0), one(layers.MsgRest, 1), one(layers.MsgRest+"\x01\x04", 0)},
		{one(layers.MsgPacket+strings.Repeat("E", 255-len(layers.MsgPacket)), 0)},
		{one("\xff\xff\xff\xff", 0), one("0123456789abcdef", 2)}} {
		var text []byte
		for _, m := range all {
			text = append(text, m...)
		}
		f.Add(true, text)
		f.Add(false, text)
	}
}

// Whatever comes over a launch's socket, from the parent or from others: this process goes on, and has as many
// descriptors as before when it closes what it has taken.
func FuzzMessages(f *testing.F) {
	seeds(f)
	null, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, parents bool, all []byte) {
		before := openFiles(t)
		fuzzParent(t, null, parents, all)
		if after := openFiles(t); after != before {
			t.Fatalf("the parent's: %d descriptors, %d before", after, before)
		}
		fuzzInit(t, null, parents, all)
		if after := openFiles(t); after != before {
			t.Fatalf("init's: %d descriptors, %d before", after, before)
		}
	})
}

// fuzzParent reads messages as the host of a parent does, from its first to the last.
func fuzzParent(t *testing.T, fd int, parents bool, all []byte) {
	p, files, err := NewParent(&policy.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	closeAll([]int{files.Program})
	deliver(files.Ready, fd, all)
	if fds, err := p.Streams(func(int) error { return nil }); err == nil {
		closeAll(fds[:])
	}
	if p.PID = os.Getpid(); !parents {
		p.PID = 1
	}
	p.Packet = func(b []byte) {
		if len(b) > layers.PacketSize {
			t.Fatalf("a packet of %d bytes", len(b))
		}
	}
	p.await(unix.Poll, func() bool { return false })
	if len(p.signals) > mostSignals {
		t.Fatalf("%d signals", len(p.signals))
	}
	for _, sig := range p.signals {
		if sig < 0 || sig > 64 {
			t.Fatalf("signal %d", sig)
		}
	}
}

// fuzzInit reads messages as an attempt does that waits for those of init and of the server's process.
func fuzzInit(t *testing.T, fd int, parents bool, all []byte) {
	p, files, err := NewParent(&policy.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	closeAll([]int{files.Program})
	deliver(files.Ready, fd, all)
	l := New(Config{Host: Host{Parent: p}, Order: &order.Order{}})
	a := l.newAttempt()
	a.Program, a.Pipes, a.Init.PID = p.layout, Pipes{-1, p.socket, -1, true}, os.Getpid()
	if p.PID = 1; parents {
		p.PID = os.Getpid()
	}
	for {
		m, err := a.receive()
		if err != nil {
			break
		}
		if len(m.carried) > 0 && take(a, &m) != nil {
			break
		}
	}
	p.ended, a.Init.PID = true, 0
	a.Sandbox.Close()
}
