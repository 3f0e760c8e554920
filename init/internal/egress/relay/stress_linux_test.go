package relay

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
)

// Connections come and go, several at once; each carries other bytes in pieces of random length, both ways, and ends in
// one of the ways that connections end. Every byte is compared.
func TestDribble(t *testing.T) {
	const side, size = 16, 200 << 10
	each := 500
	if testing.Short() {
		each = 20
	}
	b := newBench(t)
	data := random(2 * size)
	var all sync.WaitGroup
	for seed := range side {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(seed), 0))
			for range each {
				if !dribble(t, b, rng, data, size) {
					return
				}
			}
		})
	}
	all.Wait()
	b.do(func() {
		if b.Live() != 0 || len(b.pipes.free) != b.pipes.made {
			t.Errorf("%d live, %d of %d pipes free", b.Live(), len(b.pipes.free), b.pipes.made)
		}
	})
}

func dribble(t *testing.T, b *bench, rng *rand.Rand, data []byte, size int) bool {
	j := b.join(nil)
	defer j.inside.Close()
	defer j.outside.Close()
	var all sync.WaitGroup
	ok := true
	for i, c := range []peer{j.inside, j.outside} {
		other := []peer{j.outside, j.inside}[i]
		at, seed := rng.IntN(size), rng.Uint64()
		want := data[at : at+size]
		all.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			for left := want; len(left) > 0; {
				n := min(len(left), 1+rng.IntN(1<<rng.IntN(17)))
				if _, err := c.Write(left[:n]); err != nil {
					t.Error(err)
					break
				}
				left = left[n:]
			}
			c.CloseWrite()
		})
		got := make([]byte, 0, size+1)
		all.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 2))
			for {
				n, err := other.Read(got[len(got):min(cap(got), len(got)+1+rng.IntN(1<<rng.IntN(17)))])
				if got = got[:len(got)+n]; errors.Is(err, io.EOF) {
					break
				} else if err != nil || len(got) > size {
					t.Error(len(got), err)
					break
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes of %d, or others", len(got), size)
			}
		})
	}
	all.Wait()
	if e := j.wait(t); e.Sent != int64(size) || e.Received != int64(size) || e.Reset {
		t.Errorf("%+v", e)
		ok = false
	}
	return ok && !t.Failed()
}
