package relay

import (
	"io"
	"net"
	"sync"
	"testing"
)

const block = 1 << 20

// BenchmarkStream is bytes one way through the relay, in blocks of 1 MiB, and direct is the same connection without a
// relay. All ends and the relay share the machine's processors.
func BenchmarkStream(b *testing.B) {
	for _, w := range ways[:2] {
		b.Run(w.name, func(b *testing.B) { through(b, 1, w.set) })
		b.Run(w.name+" 8", func(b *testing.B) { through(b, 8, w.set) })
	}
	b.Run("direct", func(b *testing.B) { through(b, 1, nil) })
	b.Run("direct 8", func(b *testing.B) { through(b, 8, nil) })
}

// through sends b.N blocks, shared among n streams.
func through(b *testing.B, n int, set func(*Relay)) {
	var from, to []peer
	r := newBench(b)
	for range n {
		if set == nil {
			in, out := direct(b)
			from, to = append(from, in), append(to, out)
			continue
		}
		r.do(func() { set(r.Relay) })
		j := r.join(nil)
		from, to = append(from, j.inside), append(to, j.outside)
	}
	b.SetBytes(block)
	b.ResetTimer()
	var all sync.WaitGroup
	for i := range n {
		blocks := b.N / n
		if i < b.N%n {
			blocks++
		}
		all.Go(func() {
			data := make([]byte, block)
			for range blocks {
				if _, err := from[i].Write(data); err != nil {
					b.Error(err)
				}
			}
		})
		all.Go(func() {
			data := make([]byte, block)
			for range blocks {
				if _, err := io.ReadFull(to[i], data); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func direct(b *testing.B) (near, far peer) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	dialled, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { dialled.Close(); accepted.Close() })
	return dialled.(*net.TCPConn), accepted.(*net.TCPConn)
}

// BenchmarkPingPong is one byte there and back, through the relay and direct.
func BenchmarkPingPong(b *testing.B) {
	echo := func(b *testing.B, near, far peer) {
		go func() {
			one := make([]byte, 1)
			for {
				if _, err := far.Read(one); err != nil {
					return
				}
				far.Write(one)
			}
		}()
		one := make([]byte, 1)
		for b.Loop() {
			near.Write(one)
			if _, err := near.Read(one); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("relayed", func(b *testing.B) {
		j := newBench(b).join(nil)
		echo(b, j.inside, j.outside)
	})
	b.Run("direct", func(b *testing.B) {
		near, far := direct(b)
		echo(b, near, far)
	})
}
