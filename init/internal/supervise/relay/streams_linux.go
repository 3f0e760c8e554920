package relay

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/streams"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/guard"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// A Config is the request to [Open], and the functions that are called while the server runs.
type Config struct {
	TTY       bool // the server gets a pty
	Guard     bool // lines that are no JSON-RPC messages go to standard error
	AnySocket bool // sockets are handed over as they are
	UID, GID  int  // the server's
	Chown     bool // the server is another user than this process

	// WatchStdin asks for the end of the session: SessionEnds is called when the host has closed standard input
	// and the server has read everything, or has read nothing for as long as Grace.
	WatchStdin  bool
	SessionEnds func()
	Grace       func() time.Duration

	GiveUpTerminal func() error // gives up this process's controlling terminal, for init to take it; TIOCNOTTY(2const)
	HungUp         func()       // called when the terminal is lost
	Say            func(line string)
}

// Streams are the server's standard input, output and error, and the relays between those and the launcher's.
//
// A regular file is never handed over: through /proc/self/fd the server could open it again and cut or
// overwrite it. The server gets a pipe instead. Bytes from the pipe are written with the host's own open file
// description, at the file's end with O_APPEND and else at the host's offset: behind the last write, as the
// shell that says "> file" expects.
//
// Nor is a stream of the internet or of another family but AF_UNIX, which belongs to the host's network
// namespace for good and can be connected anew from any other; connect(2), AF_UNSPEC.
type Streams struct {
	Config
	Server   [3]int // the descriptors that become the server's; a number below 3 is this process's own
	Terminal Terminal

	host   [3]layers.Standard // this process's own
	relays []*relay           // the server's output first
	closes []int              // the server's ends of pipes
	input  *relay             // of a stream on standard input, or nil
	stdin  stdinWatch
}

// Open makes the pipes and the pty that the server gets.
func Open(c Config, host [3]layers.Standard) (*Streams, error) {
	s := &Streams{Config: c, Server: [3]int{0, 1, 2}, host: host,
		Terminal: Terminal{controlling: -1, user: -1}, stdin: stdinWatch{fd: -1, pipe: -1}}
	if c.TTY {
		if err := s.openTerminal(); err != nil {
			return s, err
		}
	} else {
		s.remember()
		if err := s.yieldTerminal(); err != nil {
			return s, refusal("give up the terminal", err)
		}
		if err := s.openRelays(); err != nil {
			return s, refusal("relay", err)
		}
	}
	if c.WatchStdin {
		s.stdin.open(0)
	}
	return s, nil
}

func refusal(op string, err error) error {
	return &order.Refusal{Layer: order.Descriptors, Op: op, Err: err}
}

// openRelays puts pipes in place of the descriptors that are not handed over. Standard output and error that are the
// same file get one pipe, so that the order of the server's writes is kept.
func (s *Streams) openRelays() error {
	var carried [3]bool
	for i := range carried {
		carried[i] = streams.Carried(&s.host[i], s.AnySocket)
	}
	if s.Guard || carried[1] {
		if err := s.relayOut(1, s.Guard); err != nil {
			return err
		}
	}
	if carried[2] && carried[1] && !s.Guard && streams.SameFile(1, 2) {
		s.Server[2] = s.Server[1]
	} else if carried[2] {
		if err := s.relayOut(2, false); err != nil {
			return err
		}
	}
	if carried[0] {
		return s.relayIn()
	}
	return nil
}

// relayOut puts a pipe in place of an output.
func (s *Streams) relayOut(fd int, guarded bool) error {
	r, w, err := s.pipe()
	if err != nil {
		return err
	}
	to, err := newWriter(fd)
	if err != nil {
		return err
	}
	one := newRelay(r, to)
	one.output = true
	one.failed = func(err error) {
		s.Say(notice.NotWritten(fd, err))
	}
	if guarded {
		one.sorter = new(guard.Guard)
		if one.to[1], err = newWriter(2); err != nil {
			return err
		}
	}
	s.Server[fd] = w
	s.relays = append(s.relays, one)
	return unix.SetNonblock(r, true)
}

// relayIn puts a pipe in place of a file or stream on standard input. The relay reads ahead of the server, a
// file from its offset.
func (s *Streams) relayIn() error {
	r, w, err := s.pipe()
	if err != nil {
		return err
	}
	from, err := dup(0)
	if err != nil {
		return err
	}
	s.Server[0] = r
	one := newRelay(from, writer{fd: w})
	if one.sock = s.host[0].Is(unix.S_IFSOCK); one.sock {
		s.input = one
		one.ended = func(input bool) {
			if input { // w is closed next, and another descriptor has to tell how much the server has not read
				s.stdin.pipe, _ = reopen(w, unix.O_RDONLY)
			}
		}
	}
	s.relays = append(s.relays, one)
	s.closes[len(s.closes)-1] = r // the server reads
	return unix.SetNonblock(w, true)
}

// pipe makes a pipe, and its end for writing is the server's. The server may open its end again by the name in /proc.
func (s *Streams) pipe() (r, w int, err error) {
	var p [2]int
	if err = unix.Pipe2(p[:], unix.O_CLOEXEC); err == nil && s.Chown {
		err = unix.Fchown(p[0], s.UID, s.GID)
	}
	s.closes = append(s.closes, p[1])
	return p[0], p[1], err
}

// CloseServerEnds closes the server's ends of pipes, once init has them.
func (s *Streams) CloseServerEnds() {
	for _, fd := range s.closes {
		unix.Close(fd)
	}
	s.closes = nil
}

// Standards describes the server's descriptors.
func (s *Streams) Standards() (all [3]layers.Standard, err error) {
	for i, fd := range s.Server {
		if all[i], err = streams.Describe(fd); err != nil {
			return all, refusal("look", err)
		}
	}
	return all, nil
}

// Register has a loop carry bytes, and wait for the ends of the terminal and of standard input.
func (s *Streams) Register(l *loop.Loop) {
	s.stdin.source = l.Add(s.stdin.fd, unix.POLLRDHUP, func(int16) { s.stdinClosed() })
	s.stdin.again = l.Timer(s.stdinClosed)
	s.Terminal.hangups = l.Add(s.Terminal.controlling, 0, func(int16) { s.hungUp() })
	for _, r := range s.relays {
		r.register(l)
	}
}

// drainTimeout is how long Drain waits for a reader that accepts no more output: long enough for one that is
// busy, and less than the SDKs give a server to end.
const drainTimeout = time.Second

// Drain carries over the bytes left in the server's pipes, when everything of the sandbox has ended. The loop has ended
// too.
func (s *Streams) Drain() {
	for _, r := range s.relays {
		r.ended = nil
	}
	until := time.Now().Add(drainTimeout)
	for {
		moved := false
		var fds []unix.PollFd
		for _, r := range s.relays {
			if r.slow || !r.output {
				continue
			}
			for r.step(true) {
				moved = true
			}
			for _, fd := range r.waits[1:] {
				if fd >= 0 {
					fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLOUT})
				}
			}
		}
		if len(fds) == 0 {
			return
		}
		if now := time.Now(); moved {
			until = now.Add(drainTimeout)
		} else if now.After(until) {
			s.Say(notice.Unread)
			return
		}
		unix.Poll(fds, int(time.Until(until)/time.Millisecond)+1)
	}
}
