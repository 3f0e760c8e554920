package session

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Spec is a server to start.
type Spec struct {
	Policy policy.Policy
	Target launcher.Target
	Log    *journal.ServerLog // of the lines that are no messages
}

// A box is a server that was released, and carries the lines of its standard streams. Nothing is queued here: a message
// waits in the goroutine that sends it.
type box struct {
	*launcher.Sandbox
	cancel         context.CancelFunc
	began          time.Time
	grace          time.Duration
	log            *journal.ServerLog
	stdin          io.WriteCloser
	stdout, stderr io.Reader
	in, own        chan []byte
	life
}

// A life is how far a server has come towards its end.
type life struct {
	once     sync.Once
	why      string        // serve's own cause, "" for none; before asked is closed
	asked    chan struct{} // closed when serve asked for the end, or the server's output has ended
	silent   sync.WaitGroup
	cause    string // serve's own, or the launcher's; like the next two, before over is closed
	exitCode int
	lived    time.Duration // from its release
	over     chan struct{} // closed by the session when nothing is left
}

var errEnded = errors.New("the server has ended") // of a message to it

const (
	ownMessages  = 64 // of serve's own wait for a server that does not read; more are dropped
	defaultGrace = 5 * time.Second
)

// open starts a server and returns when it was released. The end of ctx ends a start, and no server. The caller runs
// read and finish.
func open(ctx context.Context, s Spec) (*box, *launcher.Report, error) {
	alive, cancel := context.WithCancel(context.Background())
	b := &box{cancel: cancel, grace: defaultGrace, log: s.Log, in: make(chan []byte),
		own: make(chan []byte, ownMessages), life: life{asked: make(chan struct{}), over: make(chan struct{})}}
	if g, named := s.Policy.Limits.Grace.Value(); named {
		b.grace = g
	}
	err := b.launch(alive, s)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	b.silent.Go(func() { b.lines(b.stderr, longestNote, s.Log.Line) })
	report, err := b.Report(ctx)
	if err != nil {
		cancel()
		b.silent.Wait()
		b.Cmd.Wait()
		return nil, nil, err
	}
	b.began = time.Now()
	b.silent.Add(1) // read
	go b.write()
	go b.watch()
	return b, report, nil
}

// launch starts the server, in a session of its own: a terminal's Ctrl-C is for serve, which drains.
func (b *box) launch(ctx context.Context, s Spec) (err error) {
	if b.Sandbox, err = launcher.Command(ctx, s.Policy, s.Target); err != nil {
		return err
	}
	b.Cmd.SysProcAttr.Setsid = true
	if b.stdin, err = b.Cmd.StdinPipe(); err == nil {
		if b.stdout, err = b.Cmd.StdoutPipe(); err == nil {
			if b.stderr, err = b.Cmd.StderrPipe(); err == nil {
				err = b.Cmd.Start()
			}
		}
	}
	if err != nil {
		b.Close()
	}
	return err
}

// busy reports whether a start failed because this machine has too little left, which passes.
func busy(err error) bool {
	passing := []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOSPC}
	return slices.ContainsFunc(passing, func(errno syscall.Errno) bool { return errors.Is(err, errno) })
}

// end asks for the server's end: its input ends, and after the grace it is terminated. The first cause counts.
func (b *box) end(cause string) {
	b.once.Do(func() {
		b.why = cause
		close(b.asked)
	})
}

// finish brings about the end that was asked for, and returns when nothing is left.
func (b *box) finish() {
	b.stdin.Close()
	late := time.AfterFunc(b.grace, b.cancel)
	b.silent.Wait()
	b.Cmd.Wait()
	b.cause, b.lived = b.why, time.Since(b.began)
	if !late.Stop() { // it lived on without a stream
		b.cause = cmp.Or(b.why, causeClosed)
	}
	b.cancel()
	if result, err := b.Wait(context.Background()); err == nil {
		b.exitCode, b.cause = result.ExitCode, cmp.Or(b.cause, string(result.Cause))
	}
}

// send hands a message over, which ends without a new line. It waits for a server that does not read. Without an error
// the server may have seen it.
func (b *box) send(ctx context.Context, message []byte) error {
	select {
	case b.in <- append(message, '\n'):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-b.asked:
		return errEnded
	}
}

// tell is send for messages of serve's own, by a goroutine that must not wait: without room there is none.
func (b *box) tell(message []byte) {
	select {
	case b.own <- append(message, '\n'):
	default:
	}
}

// write is the only writer of the server's standard input. A server that reads nothing holds it until its end.
func (b *box) write() {
	for {
		var message []byte
		select {
		case message = <-b.own:
		case message = <-b.in:
		case <-b.asked:
			return
		}
		if _, err := b.stdin.Write(message); err != nil {
			return
		}
	}
}

// watch ends a server that has closed its standard input, after which no message reaches it. What it was asked before
// it may answer in its grace.
func (b *box) watch() {
	pipe, err := b.stdin.(syscall.Conn).SyscallConn()
	if err == nil && pipe.Read(hasNoReader) == nil { // else the box has closed it
		b.end("")
	}
}

// hasNoReader is what poll(2) says of a pipe. A Read waits between two calls, and is woken by an error.
func hasNoReader(pipe uintptr) bool {
	fds := []unix.PollFd{{Fd: int32(pipe)}}
	unix.Poll(fds, 0)
	return fds[0].Revents&unix.POLLERR != 0
}
