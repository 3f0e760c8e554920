package relay

import (
	"errors"
	"io"
	"testing"

	"golang.org/x/sys/unix"
)

// reads demands the next bytes.
func reads(t *testing.T, from io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(from, got); err != nil || string(got) != want {
		t.Fatalf("%q, %v, want %q", got[:n], err, want)
	}
}

// Bytes go out in pieces, each once it was seen, and what is behind a piece does not go out with it.
func TestHoldInPieces(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		answers := make(chan string, 64)
		var stream *Stream
		asked, known := false, false
		j := b.hold(func([]byte) Verdict {
			switch {
			case known:
				return Pass
			case asked:
				return Wait
			}
			asked = true
			stream.Answer(func(first []byte) Verdict {
				answers <- string(first)
				if known = len(first) >= 4; known {
					return Pass
				}
				return Wait
			})
			return Verdict(4)
		})
		b.do(func() { stream = j.stream })
		j.inside.Write([]byte("one.two"))
		reads(t, j.outside, "one.")
		b.silent(j, j.outside)
		j.outside.Write([]byte("an"))
		said(t, answers, "an")
		b.silent(j, j.inside)
		b.silent(j, j.outside)
		j.outside.Write([]byte("swer"))
		reads(t, j.inside, "answer")
		reads(t, j.outside, "two") // without a further byte from inside
		j.inside.Write([]byte("three"))
		j.inside.CloseWrite()
		if all, err := io.ReadAll(j.outside); string(all) != "three" || err != nil {
			t.Errorf("%q, %v", all, err)
		}
		j.outside.Close()
		if e := j.wait(t); e != (Ended{Sent: 12, Received: 6}) {
			t.Errorf("%+v", e)
		}
	})
}

// What is refused behind a piece does not go out, and both ends see a reset.
func TestHoldRefusesTheSecondPiece(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		pieces := 0
		j := b.hold(func(first []byte) Verdict {
			if pieces++; pieces == 1 {
				return Verdict(4)
			}
			return Refuse
		})
		j.inside.Write([]byte("one.secret"))
		all, err := io.ReadAll(j.outside)
		if !errors.Is(err, unix.ECONNRESET) || string(all) != "one." && len(all) > 0 {
			t.Errorf("outside: %q, %v", all, err)
		}
		if e := j.wait(t); e != (Ended{Sent: 4, Reset: true, Err: unix.EACCES}) {
			t.Errorf("%+v", e)
		}
	})
}

// Outside may end instead of an answer, and the server may end before one.
func TestHoldWithoutAnswer(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		over := make(chan string, 64)
		start := func() *joined {
			var stream *Stream
			j := b.hold(func(first []byte) Verdict {
				if len(first) == 0 {
					return Pass
				}
				stream.Answer(func(first []byte) Verdict {
					over <- string(first)
					return Pass
				})
				return Verdict(len(first))
			})
			b.do(func() { stream = j.stream })
			j.inside.Write([]byte("abc"))
			reads(t, j.outside, "abc")
			return j
		}
		j := start()
		j.outside.CloseWrite()
		said(t, over, "")
		if all, err := io.ReadAll(j.inside); len(all) != 0 || err != nil {
			t.Errorf("%q, %v", all, err)
		}
		j.inside.Close()
		if e := j.wait(t); e != (Ended{Sent: 3}) {
			t.Errorf("%+v", e)
		}

		j = start()
		j.inside.Close()
		b.do(b.Finish)
		if all, err := io.ReadAll(j.outside); len(all) != 0 || err != nil {
			t.Errorf("%q, %v", all, err)
		}
		if e := j.wait(t); e != (Ended{Sent: 3}) {
			t.Errorf("%+v", e)
		}
	})
}
