package relay

import (
	"errors"
	"io"
	"testing"

	"golang.org/x/sys/unix"
)

// The ends of a primed stream, as its server and the host see them.
func TestPrimed(t *testing.T) {
	for _, c := range []struct {
		name   string
		end    func(b *bench, j *joined)
		inside error // what the server reads, after "answer"
		host   error // and the host, after "question"
	}{
		{"the host resets", func(_ *bench, j *joined) { abort(j.outside) }, unix.ECONNRESET, nil},
		{"the relay resets", func(b *bench, j *joined) { b.do(j.stream.Reset) }, unix.ECONNRESET, unix.ECONNRESET},
		{"both end", func(_ *bench, j *joined) { j.inside.CloseWrite(); j.outside.CloseWrite() }, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.pair = true
			j := b.join(nil)
			j.inside.Write([]byte("question"))
			got := make([]byte, 8)
			if _, err := io.ReadFull(j.outside, got); err != nil || string(got) != "question" {
				t.Fatalf("%q, %v", got, err)
			}
			j.outside.Write([]byte("answer"))
			if _, err := io.ReadFull(j.inside, got[:6]); err != nil || string(got[:6]) != "answer" {
				t.Fatalf("%q, %v", got, err)
			}
			c.end(b, j)
			if more, err := io.ReadAll(j.inside); len(more) > 0 || !errors.Is(err, c.inside) || (err == nil) != (c.inside == nil) {
				t.Errorf("the server: %q, %v", more, err)
			}
			if c.name == "the host resets" {
				return
			}
			if more, err := io.ReadAll(j.outside); len(more) > 0 || !errors.Is(err, c.host) || (err == nil) != (c.host == nil) {
				t.Errorf("the host: %q, %v", more, err)
			}
			j.wait(t)
		})
	}
}

// A server that closes its end with bytes unread resets, as with TCP; one that has read all ends.
func TestPrimedServerCloses(t *testing.T) {
	for _, unread := range []bool{false, true} {
		b := newBench(t)
		b.pair = true
		j := b.join(nil)
		j.inside.Write([]byte("last"))
		if unread {
			j.outside.Write([]byte("answer"))
			if err := of(j.inside, waitReadable); err != nil {
				t.Fatal(err)
			}
		}
		j.inside.Close()
		got, err := io.ReadAll(j.outside)
		if string(got) != "last" && !unread || unread != errors.Is(err, unix.ECONNRESET) {
			t.Errorf("unread %v: %q, %v", unread, got, err)
		}
	}
}

func waitReadable(fd int) error {
	_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
	return err
}

// A server that has shut down its reading still sends, as with TCP: what comes for it goes nowhere.
func TestPrimedServerReadsNoMore(t *testing.T) {
	for _, piped := range []bool{false, true} {
		b := newBench(t)
		b.pair = true
		j := b.join(nil)
		if piped { // bytes are under way when the server says so
			go j.outside.Write(make([]byte, 8<<20)) // more than the buffers take
			if err := of(j.inside, waitReadable); err != nil {
				t.Fatal(err)
			}
		}
		j.inside.CloseRead()
		got := make([]byte, 8)
		for range 3 {
			j.outside.Write([]byte("answer"))
			j.inside.Write([]byte("question"))
			if _, err := io.ReadFull(j.outside, got); err != nil || string(got) != "question" {
				t.Fatalf("piped %v: %q, %v", piped, got, err)
			}
		}
		j.inside.CloseWrite()
		if more, err := io.ReadAll(j.outside); len(more) > 0 || err != nil {
			t.Errorf("piped %v: %q, %v", piped, more, err)
		}
	}
}

// Until the end is emptied the server's is not writable, and its bytes are counted apart, however much room the machine
// gives to a send buffer.
func TestFill(t *testing.T) {
	for _, room := range []int{0, 1, 16 << 10, 100 << 10, 1 << 20} {
		tryFill(t, room)
	}
}

func tryFill(t *testing.T, room int) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	if room > 0 {
		if err := unix.SetsockoptInt(ends[1], unix.SOL_SOCKET, unix.SO_SNDBUF, room); err != nil {
			t.Fatal(err)
		}
	}
	writable := func() bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(ends[1]), Events: unix.POLLOUT}}, 0)
		return n == 1 && err == nil
	}
	if !writable() {
		t.Fatal("a fresh end is not writable")
	}
	b := make([]byte, 64<<10)
	n, err := Fill(ends[0], ends[1], b)
	if left, unread := Unread(ends[0]); err != nil || writable() || left != 0 || unread != nil {
		t.Errorf("filled with %d bytes: %v, writable %v, unread %d, %v", n, err, writable(), left, unread)
	}
	if err := Empty(ends[0], n, b); err != nil || !writable() {
		t.Errorf("emptied: %v, writable %v", err, writable())
	}
	unix.Write(ends[1], []byte("abc"))
	if left, err := Unread(ends[0]); left != 3 || err != nil || !isPrimed(ends[0]) {
		t.Errorf("unread %d, %v, primed %v", left, err, isPrimed(ends[0]))
	}
	Unprime(ends[0])
	if n, err := unix.Read(ends[0], b); string(b[:n]) != "abc" || err != nil {
		t.Errorf("without its byte: %q, %v", b[:n], err)
	}
}

// Urgent data of a pair harms nothing: all of it arrives in its place, or the kernel has none. The relay has taken each
// piece before the next one is sent.
func TestUrgentOfPair(t *testing.T) {
	b := newBench(t)
	b.pair = true
	j := b.join(nil)
	raw, err := j.inside.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"ab", "!", "!", "cd", "!", "e", "f", "!", "gh"} {
		urgent := error(nil)
		raw.Write(func(fd uintptr) bool {
			flags := 0
			if piece == "!" {
				flags = unix.MSG_OOB
			}
			urgent = unix.Sendto(int(fd), []byte(piece), flags, nil)
			return true
		})
		if errors.Is(urgent, unix.EOPNOTSUPP) { // a kernel without CONFIG_AF_UNIX_OOB
			continue
		}
		got := make([]byte, len(piece))
		if _, err := io.ReadFull(j.outside, got); urgent != nil || err != nil || string(got) != piece {
			t.Fatalf("%q: %v; %q, %v", piece, urgent, got, err)
		}
	}
}
