package program

import (
	"testing"

	"golang.org/x/sys/unix"
)

// launchLike adds n Ops in the mixture that a launch has: of ten, four have a string, one words, four another's result.
func launchLike(p *Builder, n int) {
	at, flags := Int(unix.AT_FDCWD), Int(unix.O_PATH|unix.O_CLOEXEC)
	var out Label
	for p.Len() < n {
		fd := p.Do(Sys(unix.SYS_OPENAT, at, Str("/usr/lib/some/folder/of/a/grant"), flags))
		p.Do(Sys(unix.SYS_MOUNT_SETATTR, fd.Result(), Str(""), Int(unix.AT_EMPTY_PATH), Words(1, 0, 0, 0), Int(32)))
		p.Do(Sys(unix.SYS_MOVE_MOUNT, fd.Result(), Str(""), at, Str("usr/lib/some/folder/of/a/grant"), Int(4)))
		p.Do(Sys(unix.SYS_CLOSE, fd.Result()))
		for i := range 5 {
			p.Do(Sys(unix.SYS_PRCTL, Int(unix.PR_CAPBSET_DROP), Int(i), Int(0), Int(0), Int(0)))
		}
		p.Ask(Sys(unix.SYS_STATX, fd.Result(), Str("x"), Int(0), Int(0), Ref(p.Space(256)))).Else(&out)
	}
	p.Bind(&out)
}

// BenchmarkBuild is a program of 300 Ops: in memory as Open makes it, that is with every page touched for the first
// time; the same with the first pages populated at once; Open and its undoing alone; and in memory used before.
func BenchmarkBuild(b *testing.B) {
	const ops = 300
	fresh := func(b *testing.B, f func(mem []byte)) {
		b.ReportAllocs()
		for b.Loop() {
			fd, mem, err := Open()
			if err != nil {
				b.Fatal(err)
			}
			f(mem)
			unix.Munmap(mem)
			unix.Close(fd)
		}
	}
	b.Run("open", func(b *testing.B) { fresh(b, func([]byte) {}) })
	b.Run("fresh", func(b *testing.B) { fresh(b, func(mem []byte) { launchLike(New(mem), ops) }) })
	b.Run("populated", func(b *testing.B) {
		fresh(b, func(mem []byte) {
			populate := func(m []byte) {
				if err := unix.Madvise(m, unix.MADV_POPULATE_WRITE); err != nil {
					b.Fatal(err)
				}
			}
			populate(mem[:32<<10])
			populate(mem[dataFrom : dataFrom+32<<10])
			launchLike(New(mem), ops)
		})
	})
	b.Run("warm", func(b *testing.B) {
		mem := make([]byte, Size)
		b.ReportAllocs()
		for b.Loop() {
			launchLike(New(mem), ops)
		}
	})
	b.Run("copy", func(b *testing.B) {
		p := New(make([]byte, Size))
		launchLike(p, ops)
		b.ReportAllocs()
		for b.Loop() {
			p.Copy()
		}
	})
}

// BenchmarkStart is a runner that does nothing, from its start to its end.
func BenchmarkStart(b *testing.B) {
	fd, p := open(b)
	exit(p, zero)
	b.ReportAllocs()
	for b.Loop() {
		run(b, fd)
	}
}
