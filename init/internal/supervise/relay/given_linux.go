package relay

import "golang.org/x/sys/unix"

// Given are streams that the server gets as they are, where descriptors of this process lead there too. Those of
// standard input and output are closed by [Streams.CloseServerEnds].
func Given(c Config, fds [3]int) *Streams {
	s := &Streams{Config: c, Server: fds, Terminal: Terminal{controlling: -1, user: -1},
		stdin: stdinWatch{fd: -1, pipe: -1}, closes: []int{fds[0], fds[1]}}
	if c.WatchStdin {
		s.stdin.open(fds[0])
	}
	return s
}

// Close closes the rest of streams that were given.
func (s *Streams) Close() {
	s.CloseServerEnds()
	if s.stdin.fd >= 0 {
		unix.Close(s.stdin.fd)
		s.stdin.fd = -1
	}
}
