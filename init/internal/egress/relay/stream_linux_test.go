package relay

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func random(n int) []byte {
	b := make([]byte, n)
	s := rand.NewChaCha8([32]byte{byte(n)})
	s.Read(b)
	return b
}

// Both directions at once carry every byte, and count it.
func TestBytes(t *testing.T) {
	const size = 100 << 20
	want := random(size)
	sum := sha256.Sum256(want)
	eachWay(t, func(t *testing.T, b *bench) {
		j := b.join(nil)
		var all sync.WaitGroup
		for _, c := range []peer{j.inside, j.outside} {
			all.Go(func() {
				c.Write(want)
				c.CloseWrite()
			})
			all.Go(func() {
				h := sha256.New()
				if n, err := io.Copy(h, c); n != size || err != nil || [32]byte(h.Sum(nil)) != sum {
					t.Errorf("%d bytes of %d, %v; or others", n, size, err)
				}
			})
		}
		all.Wait()
		if e := j.wait(t); e != (Ended{size, size, false, nil}) {
			t.Errorf("%+v", e)
		}
	})
}

// A FIN is passed on alone: the other direction goes on, for as much as there is.
func TestHalfClose(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		for _, turned := range []bool{false, true} {
			j := b.join(nil)
			first, second := j.inside, peer(j.outside)
			if turned {
				first, second = second, first
			}
			first.Write([]byte("question"))
			first.CloseWrite()
			if got, err := io.ReadAll(second); string(got) != "question" || err != nil {
				t.Fatalf("%q, %v", got, err)
			}
			want := random(3 << 20)
			go func() { second.Write(want); second.CloseWrite() }()
			if got, err := io.ReadAll(first); !bytes.Equal(got, want) || err != nil {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			e := j.wait(t)
			if sent := e.Sent; turned && sent != 3<<20 || !turned && sent != 8 || e.Reset || e.Err != nil {
				t.Errorf("%+v", e)
			}
		}
	})
}

// A reset is passed on, to a peer that waits as to one that has sent its FIN.
func TestReset(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		for _, turned := range []bool{false, true} {
			for _, half := range []bool{false, true} {
				j := b.join(nil)
				first, second := j.inside, peer(j.outside)
				if turned {
					first, second = second, first
				} else if b.pair {
					continue // TestPrimed
				}
				first.Write([]byte("a"))
				io.ReadFull(second, make([]byte, 1)) // the relay knows both
				if half {
					second.CloseWrite()
					io.ReadAll(first)
				}
				abort(first)
				if _, err := second.Read(make([]byte, 1)); !errors.Is(err, unix.ECONNRESET) {
					t.Errorf("turned %v half %v: %v", turned, half, err)
				}
				if e := j.wait(t); !e.Reset || e.Err == nil {
					t.Errorf("%+v", e)
				}
			}
		}
	})
}

// What was sent before a reset arrives where the other reads: a server's answer to a question that it reads only half.
func TestBytesBeforeReset(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		j := b.join(nil)
		j.inside.Write([]byte("question"))
		if _, err := io.ReadFull(j.outside, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		// The relay sees both at once.
		b.do(func() {
			j.outside.Write([]byte("answer"))
			j.outside.Close() // with unread bytes: RFC 2525, section 2.17
		})
		got, err := io.ReadAll(j.inside)
		if string(got) != "answer" || !errors.Is(err, unix.ECONNRESET) {
			t.Errorf("%q, %v", got, err)
		}
		if e := j.wait(t); e.Received != 6 || !e.Reset {
			t.Errorf("%+v", e)
		}
	})
}

// A peer that has gone while its connection's other direction is full is noticed.
func TestResetWhileFull(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		j := b.join(nil)
		fill(t, j.inside)
		if b.pair {
			return // TestPrimed
		}
		abort(j.inside)
		if e := j.wait(t); !e.Reset || !errors.Is(e.Err, unix.ECONNRESET) {
			t.Errorf("%+v", e)
		}
	})
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// A writer waits for a reader that does not read, and nothing is lost when the reader comes.
func TestSlowReader(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		j := b.join(nil)
		n := fill(t, j.outside)
		if n > 64<<20 {
			t.Errorf("%d bytes were taken that nobody reads", n)
		}
		go j.outside.CloseWrite()
		if got, err := io.Copy(io.Discard, j.inside); got != int64(n) || err != nil {
			t.Errorf("%d of %d bytes, %v", got, n, err)
		}
		j.inside.Close()
		if e := j.wait(t); e.Received != int64(n) || e.Reset {
			t.Errorf("%+v", e)
		}
	})
}

// One byte at a time goes there and back at once.
func TestPingPong(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		j := b.join(nil)
		one := make([]byte, 1)
		for i := range 2000 {
			j.inside.Write([]byte{byte(i)})
			if _, err := io.ReadFull(j.outside, one); err != nil || one[0] != byte(i) {
				t.Fatal(i, one, err)
			}
			j.outside.Write(one)
			if _, err := io.ReadFull(j.inside, one); err != nil || one[0] != byte(i) {
				t.Fatal(i, one, err)
			}
		}
	})
}

// The prefix goes to inside first, however long.
func TestPrefix(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		prefix := random(8 << 20)
		j := b.join(prefix)
		j.outside.Write([]byte("rest"))
		j.outside.CloseWrite()
		j.inside.CloseWrite()
		got, err := io.ReadAll(j.inside)
		if !bytes.Equal(got, append(prefix, "rest"...)) || err != nil {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if e := j.wait(t); e.Received != int64(len(got)) || e.Reset {
			t.Errorf("%+v", e)
		}
	})
}

// The urgent byte is left out; what follows arrives. AF_UNIX has urgent data of its own kind, which goes on as any other.
func TestUrgent(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		if b.pair {
			return // TestUrgentOfPair
		}
		j := b.join(nil)
		raw, err := j.inside.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			j.inside.Write([]byte("ab"))
			raw.Write(func(fd uintptr) bool {
				err = unix.Sendto(int(fd), []byte("!"), unix.MSG_OOB, nil)
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
			j.inside.Write([]byte("cd"))
			got := make([]byte, 4)
			if _, err := io.ReadFull(j.outside, got); string(got) != "abcd" || err != nil {
				t.Fatalf("%q, %v", got, err)
			}
		}
		j.inside.CloseWrite()
		j.outside.CloseWrite()
		if e := j.wait(t); e.Sent != 12 || e.Reset {
			t.Errorf("%+v", e)
		}
	})
}
