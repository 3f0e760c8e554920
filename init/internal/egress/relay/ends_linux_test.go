package relay

import (
	"errors"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
)

func descriptors(t *testing.T) int {
	t.Helper()
	d, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(d)
}

// Whatever ends streams, done is called once for each, and no descriptor is left.
func TestEndsOnce(t *testing.T) {
	newBench(t)               // the poller of package net is there
	b, kept := newBench(t), 0 // pipes stay until Close
	for name, end := range map[string]func(*joined){
		"reset by the caller": func(j *joined) { b.do(j.stream.Reset); b.do(j.stream.Reset) },
		"both closed": func(j *joined) {
			j.inside.CloseWrite()
			j.outside.CloseWrite()
		},
		"reset by a peer": func(j *joined) { abort(j.inside) },
		"with bytes in a pipe": func(j *joined) {
			fill(t, j.inside)
			b.do(j.stream.Reset)
		},
	} {
		b.do(func() { kept = b.pipes.made })
		before := descriptors(t) - 2*kept
		j := b.join(nil)
		j.inside.Write([]byte("a"))
		io.ReadFull(j.outside, make([]byte, 1))
		end(j)
		j.wait(t)
		b.do(j.stream.Reset)
		j.inside.Close()
		j.outside.Close()
		b.do(func() {
			if n := b.Live(); n != 0 {
				t.Errorf("%s: %d live", name, n)
			}
			kept = b.pipes.made
		})
		if len(j.ended) != 0 {
			t.Errorf("%s: done was called twice", name)
		}
		if after := descriptors(t) - 2*kept; after != before {
			t.Errorf("%s: %d descriptors, were %d", name, after, before)
		}
	}
}

// Close resets what is there and what comes; the pipes are closed too.
func TestClose(t *testing.T) {
	b := newBench(t)
	before := descriptors(t)
	j := b.join(nil)
	j.inside.Write([]byte("a"))
	io.ReadFull(j.outside, make([]byte, 1))
	b.do(b.Close)
	late := b.join([]byte("prefix"))
	for _, s := range []*joined{j, late} {
		if e := s.wait(t); !e.Reset || e.Err != nil {
			t.Errorf("%+v", e)
		}
		for _, c := range []io.ReadCloser{s.inside, s.outside} {
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, unix.ECONNRESET) {
				t.Error(err)
			}
			c.Close()
		}
	}
	if after := descriptors(t); after != before || b.Live() != 0 {
		t.Errorf("%d descriptors, were %d; %d live", after, before, b.Live())
	}
}

// A set that takes no more members ends the stream at once.
func TestRefused(t *testing.T) {
	set, err := loop.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	set.Close()
	r := New(set)
	inside, in := pair(t)
	_, out := pair(t)
	ended := 0
	r.Join(in, out, nil, func(e Ended) {
		if ended++; !e.Reset || !errors.Is(e.Err, unix.EBADF) {
			t.Errorf("%+v", e)
		}
	})
	if _, err := inside.Read(make([]byte, 1)); ended != 1 || r.Live() != 0 || !errors.Is(err, unix.ECONNRESET) {
		t.Errorf("%d ended, %d live, %v", ended, r.Live(), err)
	}
}

// After the server's end what it said still goes out to an outside that reads late, whether outside still talks or says
// nothing more, not even FIN; then the stream ends.
func TestFinish(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		quiet := b.join(nil)
		quiet.inside.CloseWrite()
		io.ReadAll(quiet.outside) // waits for outside alone
		silent, talking := b.join(nil), b.join(nil)
		sent := map[*joined]int64{}
		for _, j := range []*joined{silent, talking} {
			sent[j] = int64(fill(t, j.inside))
			j.outside.Write(make([]byte, 100))
			io.ReadFull(j.inside, make([]byte, 100)) // none is unread, or the kernel would reset
			j.inside.Close()
		}
		b.do(b.Finish)
		if e := quiet.wait(t); e.Reset {
			t.Errorf("%+v", e)
		}
		go talking.outside.Write(make([]byte, 16<<20)) // more than all sockets hold
		for j, n := range sent {
			if got, err := io.Copy(io.Discard, j.outside); got != n || err != nil {
				t.Errorf("%d of %d bytes, %v", got, n, err)
			}
			if e := j.wait(t); e.Sent != n || e.Received != 100 || e.Reset {
				t.Errorf("%+v", e)
			}
		}
	})
}

// The sockets have what finds a peer that has gone, and send small messages at once.
func TestOptions(t *testing.T) {
	b := newBench(t)
	j := b.join(nil)
	for _, fd := range []int{j.stream.inside.fd, j.stream.outside.fd} {
		for _, o := range []struct{ level, name, want int }{
			{unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1}, {unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 30},
			{unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 30}, {unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 3},
			{unix.IPPROTO_TCP, unix.TCP_NODELAY, 1}, {unix.SOL_SOCKET, unix.SO_OOBINLINE, 0},
		} {
			if got, err := unix.GetsockoptInt(fd, o.level, o.name); got != o.want || err != nil {
				t.Errorf("option %d/%d is %d, %v", o.level, o.name, got, err)
			}
		}
	}
}

// A stream that moves as much as can be moved leaves every other its turn.
func TestFair(t *testing.T) {
	set, err := loop.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	r := New(set)
	defer r.Close()
	bulkIn, in := pair(t)
	bulkOut, out := pair(t)
	bulk := r.Join(in, out, nil, func(Ended) {})
	go func() { io.Copy(bulkIn, endless{}) }()
	go io.Copy(io.Discard, bulkOut)
	pingIn, in := pair(t)
	_, out = pair(t)
	ping := r.Join(in, out, nil, func(Ended) {})
	for bulk.out.moved < 8*turn {
		set.Serve()
	}
	start := bulk.out.moved
	for i := int64(0); i < 200 || bulk.out.moved < start+8*turn; i++ {
		pingIn.Write([]byte{0})
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(in), Events: unix.POLLIN}}, -1); err != nil {
			t.Fatal(err)
		}
		before := bulk.out.moved
		set.Serve()
		if n := bulk.out.moved - before; n > 2*(turn+pipeSize) { // one call for each leg
			t.Fatalf("%d bytes in one turn", n)
		}
		if ping.out.moved != i+1 {
			t.Fatal("a byte waited for another turn")
		}
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// Bytes before a reset that take several turns arrive too.
func TestTurnsBeforeReset(t *testing.T) {
	b := newBench(t)
	const size = 12 << 10
	b.do(func() { b.turn, b.pipes.made, b.buf = 1, pipeMost, make([]byte, size/3) })
	inside, in := pair(t)
	outside, out := pair(t)
	ended := make(chan Ended, 1)
	b.do(func() {
		outside.Write(make([]byte, size))
		for n := 0; n < size; {
			n, _ = unix.IoctlGetInt(out, unix.SIOCINQ)
		}
		outside.SetLinger(0)
		outside.Close()
		b.Join(in, out, nil, func(e Ended) { ended <- e })
	})
	if n, err := io.Copy(io.Discard, inside); n != size || !errors.Is(err, unix.ECONNRESET) {
		t.Errorf("%d of %d bytes, %v", n, size, err)
	}
	if e := <-ended; e.Received != size || !errors.Is(e.Err, unix.ECONNRESET) {
		t.Errorf("%+v", e)
	}
	b.do(func() { b.pipes.made = 0 })
}

// What a stream left in a pipe reaches no other stream.
func TestLeftInPipe(t *testing.T) {
	b := newBench(t)
	j := b.join(nil)
	fill(t, j.inside)
	b.do(func() {
		if j.stream.out.pipe == nil {
			t.Error("no bytes are in a pipe")
		}
		j.stream.Reset()
	})
	next := b.join(nil)
	next.inside.Write([]byte("next"))
	next.inside.CloseWrite()
	if got, err := io.ReadAll(next.outside); string(got) != "next" || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
