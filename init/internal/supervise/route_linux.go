package supervise

import (
	"strconv"

	lines "github.com/security-mcp/mcp-sandbox/init/internal/guard"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// stdio is what the server gets as standard input, output and error, and what the shim carries between them and its own.
//
// A regular file is never handed over: through /proc/self/fd the server could open it again and cut or overwrite it. It
// gets a pipe instead. What comes out of that the shim writes with the host's own open file, so at its end with O_APPEND
// and else where the host's offset is: behind what was written there last, as the shell that says "> file" expects.
//
// Nor is a stream of the internet or of another family but AF_UNIX, which belongs to the host's network namespace for good
// and can be connected anew from any other; connect(2), AF_UNSPEC.
type stdio struct {
	host   [3]rows.Standard // what the host gave
	give   [3]int           // what the server gets; a number below 3 is the shim's own
	relays []*relay         // from the server's output first
	closes []int            // the server's ends, which the shim closes when init has them
	input  *relay           // from the host's stream on standard input, or nil
}

// route decides what the server gets.
func (s *shim) route() error {
	io := &s.stdio
	io.give = [3]int{0, 1, 2}
	if s.Order.TTY {
		return s.openTerminal()
	}
	s.terminal.rememberTerminals()
	err := s.yieldTerminal()
	if err != nil {
		return refusedStdio("give up the terminal", err)
	}
	files := [3]bool{s.isCarried(0), s.isCarried(1), s.isCarried(2)}
	if files[1] && files[2] && sameFile(1, 2) {
		err = unify(1, 2)
	}
	switch {
	case err != nil:
	case s.Order.StdoutGuard:
		err = s.relayOut(1, new(lines.Guard))
	case files[1]:
		err = s.relayOut(1, nil)
	}
	switch {
	case err != nil || !files[2]:
	case files[1] && !s.Order.StdoutGuard && sameFile(1, 2):
		io.give[2] = io.give[1]
	default:
		err = s.relayOut(2, nil)
	}
	if files[0] && err == nil {
		err = s.relayIn()
	}
	if err != nil {
		return refusedStdio("relay", err)
	}
	return nil
}

func refusedStdio(op string, err error) error {
	return &order.Refusal{Layer: order.Descriptors, Op: op, Err: err}
}

// relayOut puts a pipe in place of an output, and has the guard, if there is one, sort what comes out of it.
func (s *shim) relayOut(fd int, sort *lines.Guard) error {
	r, w, err := s.ends()
	if err != nil {
		return err
	}
	to, err := newOutlet(fd)
	if err != nil {
		return err
	}
	one := newRelay(r, to)
	one.output = true
	one.failed = func(err error) {
		s.Say("write what the server says on its descriptor " + strconv.Itoa(fd) + ": " + err.Error())
	}
	if one.sort = sort; sort != nil {
		if one.to[1], err = newOutlet(2); err != nil {
			return err
		}
	}
	s.stdio.give[fd] = w
	s.stdio.relays = append(s.stdio.relays, one)
	return unix.SetNonblock(r, true)
}

// relayIn puts a pipe in place of a file or stream on standard input. It is read ahead of the server, a file from where it
// stands.
func (s *shim) relayIn() error {
	r, w, err := s.ends()
	if err != nil {
		return err
	}
	from, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, lowest)
	if err != nil {
		return err
	}
	s.stdio.give[0] = r
	one := newRelay(from, outlet{fd: w})
	if one.sock = s.stdio.host[0].Is(unix.S_IFSOCK); one.sock {
		s.stdio.input = one
		one.ended = func(input bool) {
			if input { // the pipe is closed next, and how much the server has not read of it can then be asked no more
				s.stdin.rest, _ = reopen(w, unix.O_RDONLY)
			}
		}
	}
	s.stdio.relays = append(s.stdio.relays, one)
	s.stdio.closes[len(s.stdio.closes)-1] = r // the other end is the server's
	return unix.SetNonblock(w, true)
}

// ends makes a pipe, one end of which the server may open again by its name in /proc, whoever it is. By default that is
// the end for writing.
func (s *shim) ends() (r, w int, err error) {
	p, err := pipe()
	if err == nil && s.machine.Root {
		err = unix.Fchown(p[0], s.machine.UID, s.machine.GID)
	}
	s.stdio.closes = append(s.stdio.closes, p[1])
	return p[0], p[1], err
}

// isCarried reports whether the server gets a pipe in place of what the host gave.
func (s *shim) isCarried(fd int) bool {
	is := &s.stdio.host[fd]
	return is.Is(unix.S_IFREG) || isStream(is) && s.policy.Level != policy.Privileged
}

// given is what the server gets.
func (s *shim) given() (all [3]rows.Standard, err error) {
	for i, fd := range s.stdio.give {
		if all[i], err = describe(fd); err != nil {
			return all, refusedStdio("look", err)
		}
	}
	return all, nil
}

func sameFile(a, b int) bool {
	var x, y unix.Stat_t
	return unix.Fstat(a, &x) == nil && unix.Fstat(b, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}

// unify makes two descriptors of one file the same open file, or what is written to one would overwrite the other's: the
// one that appends, else the one that is further on.
func unify(a, b int) error {
	if at, err := unix.Seek(b, 0, unix.SEEK_CUR); err == nil && !appends(a) {
		if from, err := unix.Seek(a, 0, unix.SEEK_CUR); appends(b) || err == nil && at > from {
			a, b = b, a
		}
	}
	return unix.Dup3(a, b, 0)
}

func appends(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_APPEND != 0
}
