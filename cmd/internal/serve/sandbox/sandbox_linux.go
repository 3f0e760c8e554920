// Package sandbox starts one server in a sandbox, and carries the lines of its standard streams.
//
//	b, err := sandbox.Start(ctx, spec)   // the server is released
//	go b.Read(func(line []byte) { ... }) // until the end of its output
//	err = b.Send(ctx, message)           // nil: the server may have seen it
//	b.End("idle")
//	<-b.Over()
//
// Nothing is queued here: a message waits in the goroutine that sends it.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Spec is what to start.
type Spec struct {
	Policy policy.Policy
	Target launcher.Target
	Shim   string             // the program that is the shim; "" for this one
	Log    *journal.ServerLog // of the lines that are no messages
}

// An Ending is how a server ended.
type Ending struct {
	Cause    string // one of serve's own, or the launcher's
	ExitCode int
	Lived    time.Duration // from its release
}

// A Box is a server that was released.
type Box struct {
	Report *launcher.Report

	sandbox        *launcher.Sandbox
	cancel         context.CancelFunc
	began          time.Time
	grace          time.Duration
	log            *journal.ServerLog
	stdin          io.WriteCloser
	stdout, stderr io.Reader
	in, own        chan []byte
	end            end
}

// An end is how far the end of a server has come.
type end struct {
	once   sync.Once
	why    string        // serve's own cause, "" for none; before asked is closed
	asked  chan struct{} // closed when serve asked for it, or the server's output has ended
	silent sync.WaitGroup
	ending Ending        // before over is closed
	over   chan struct{} // closed when nothing is left
}

// ErrEnded is the error of a message to a server that has ended.
var ErrEnded = errors.New("the server has ended")

// ownMessages is how many messages of serve's own wait for a server that does not read; more are dropped.
const ownMessages = 64

// defaultGrace is the policy's.
const defaultGrace = 5 * time.Second

// Start starts a server and returns when it was released. The end of ctx ends a start, and no server.
func Start(ctx context.Context, s Spec) (*Box, error) {
	life, cancel := context.WithCancel(context.Background())
	b := &Box{cancel: cancel, grace: defaultGrace, log: s.Log, in: make(chan []byte),
		own: make(chan []byte, ownMessages), end: end{asked: make(chan struct{}), over: make(chan struct{})}}
	if g, named := s.Policy.Limits.Grace.Value(); named {
		b.grace = g
	}
	err := b.launch(life, s)
	if err != nil {
		cancel()
		return nil, err
	}
	b.end.silent.Go(func() { b.lines(b.stderr, longestNote, s.Log.Line) })
	if b.Report, err = b.sandbox.Report(ctx); err != nil {
		cancel()
		b.end.silent.Wait()
		b.sandbox.Cmd.Wait()
		return nil, err
	}
	b.began = time.Now()
	b.end.silent.Add(1) // Read
	go b.write()
	go b.finish()
	return b, nil
}

// launch starts the shim, in a session of its own: a terminal's Ctrl-C is for serve, which drains.
func (b *Box) launch(life context.Context, s Spec) (err error) {
	if b.sandbox, err = launcher.Command(life, s.Policy, s.Target); err != nil {
		return err
	}
	cmd := b.sandbox.Cmd
	if s.Shim != "" {
		cmd.Path = s.Shim
	}
	cmd.SysProcAttr.Setsid = true
	if b.stdin, err = cmd.StdinPipe(); err == nil {
		if b.stdout, err = cmd.StdoutPipe(); err == nil {
			if b.stderr, err = cmd.StderrPipe(); err == nil {
				err = cmd.Start()
			}
		}
	}
	if err != nil {
		b.sandbox.Close()
	}
	return err
}

// Busy reports whether a start failed because this machine has too little left, which passes.
func Busy(err error) bool {
	for _, errno := range [...]error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOSPC} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// End asks for the server's end: its input ends, and after the grace it is terminated. The first cause counts.
func (b *Box) End(cause string) {
	b.end.once.Do(func() {
		b.end.why = cause
		close(b.end.asked)
	})
}

// Ending returns how the server ended, once it is over.
func (b *Box) Ending() Ending { return b.end.ending }

// Why is the cause that serve gave, once the end was asked for; "" for none.
func (b *Box) Why() string { return b.end.why }

// Over is closed when nothing is left of the server.
func (b *Box) Over() <-chan struct{} { return b.end.over }

// Asked is closed when the server's end was asked for, or its output has ended.
func (b *Box) Asked() <-chan struct{} { return b.end.asked }

func (b *Box) finish() {
	<-b.end.asked
	b.stdin.Close()
	late := time.AfterFunc(b.grace, b.cancel)
	b.end.silent.Wait()
	b.sandbox.Cmd.Wait()
	late.Stop()
	b.cancel()
	b.end.ending = Ending{Cause: b.end.why, Lived: time.Since(b.began)}
	if result, err := b.sandbox.Wait(context.Background()); err == nil {
		b.end.ending.ExitCode = result.ExitCode
		b.end.ending.Cause = cmp.Or(b.end.why, string(result.Cause))
	}
	close(b.end.over)
}
