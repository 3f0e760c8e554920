package relay

// This file: the pipes that all streams share.

import "golang.org/x/sys/unix"

const (
	pipeMost = 8         // pipes; a turn serves one direction, so more than one is in use only where peers do not read
	pipeSize = 256 << 10 // bytes; F_SETPIPE_SZ of fcntl(2) refuses it beyond pipe-user-pages-soft, and less does too
	retry    = 256       // how often the copying way is taken before pipe2(2) is tried again
)

// A pipe is empty while the pool has it.
type pipe struct {
	out, in int // read end, write end
	n       int // bytes inside
}

// A pool makes pipes when they are needed.
type pool struct {
	free []*pipe
	made int // free or in use
	wait int // calls of get until a pipe is made, after pipe2(2) has failed
}

// get is nil if no pipe is to be had.
func (p *pool) get() *pipe {
	if last := len(p.free) - 1; last >= 0 {
		got := p.free[last]
		p.free = p.free[:last]
		return got
	}
	if p.wait > 0 || p.made == pipeMost {
		p.wait = max(0, p.wait-1)
		return nil
	}
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		p.wait = retry // EMFILE, ENFILE: for a while
		return nil
	}
	unix.FcntlInt(uintptr(fds[1]), unix.F_SETPIPE_SZ, pipeSize)
	p.made++
	return &pipe{out: fds[0], in: fds[1]}
}

// put takes an empty pipe back.
func (p *pool) put(e *pipe) { p.free = append(p.free, e) }

// lose closes a pipe that may have bytes inside: they are another stream's business never.
func (p *pool) lose(e *pipe) {
	unix.Close(e.out)
	unix.Close(e.in)
	p.made--
}

func (p *pool) close() {
	for _, e := range p.free {
		p.lose(e)
	}
	p.free = nil
}
