package launcher

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A Report is the first line of a sandbox's report: what holds, before the server runs.
type Report = order.Enforced

// A Result is the last line: how the server ended.
type Result = order.Exited

// A Sandbox is one server that [Command] prepared. Its methods may be called from several goroutines.
type Sandbox struct {
	// Cmd starts the server. Start it once, in any way that exec.Cmd knows.
	Cmd *exec.Cmd

	socket *os.File
	files  []*os.File // the shim's ends, which this process does not need after Start

	mu      sync.Mutex
	rest    []byte // of a line that has not come whole
	report  *Report
	result  *Result
	refusal error
	ended   bool
}

func newSandbox(cmd *exec.Cmd, socket *os.File, files []*os.File) *Sandbox {
	s := &Sandbox{Cmd: cmd, socket: socket, files: files}
	// A host that forgets a sandbox forgets its descriptors; the shim takes the end of the socket for the host's end.
	runtime.AddCleanup(s, func(fs []*os.File) {
		for _, f := range fs {
			f.Close()
		}
	}, append([]*os.File{socket}, files...))
	return s
}

// errNotStarted is what Report and Wait say of a Cmd that nobody started.
var errNotStarted = errors.New("launcher: sb.Cmd has not been started")

// Report waits until the server is released and returns what was proved. The error of a refused launch is an *[Error].
func (s *Sandbox) Report(ctx context.Context) (*Report, error) {
	err := s.read(ctx, func() bool { return s.report != nil })
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.report != nil:
		return s.report, nil
	case s.refusal != nil:
		return nil, s.refusal
	}
	return nil, err
}

// Wait waits until the server has ended, with everything it started, and returns how. It does not reap the shim: that
// is Cmd.Wait's. The error of a refused launch is an *[Error].
func (s *Sandbox) Wait(ctx context.Context) (*Result, error) {
	err := s.read(ctx, func() bool { return s.result != nil })
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.result != nil:
		return s.result, nil
	case s.refusal != nil:
		return nil, s.refusal
	}
	return nil, err
}

// Close gives back what a sandbox holds. A server that was started ends: its host is gone.
func (s *Sandbox) Close() error {
	s.release()
	err := s.socket.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

func (s *Sandbox) release() {
	for _, f := range s.files {
		f.Close()
	}
}

// errLost is a shim that ended without a last word.
var errLost = errors.New("launcher: the shim ended without saying how")

// read takes records from the socket until done says so, the launch was refused, or the shim is gone.
func (s *Sandbox) read(ctx context.Context, done func() bool) error {
	if s.Cmd.Process == nil {
		return errNotStarted
	}
	s.release() // or the end of the shim would not be seen
	stop := context.AfterFunc(ctx, func() { s.socket.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	buf := make([]byte, 64<<10)
	for {
		s.mu.Lock()
		over := done() || s.refusal != nil || s.ended
		s.mu.Unlock()
		if over {
			return errLost
		}
		n, err := s.socket.Read(buf)
		if err != nil && ctx.Err() != nil {
			s.socket.SetReadDeadline(time.Time{})
			return ctx.Err()
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			continue // another caller's context
		}
		s.mu.Lock()
		s.take(buf[:n])
		if n == 0 && (err == nil || errors.Is(err, io.EOF) || !errors.Is(err, os.ErrDeadlineExceeded)) {
			s.ended = true
		}
		s.mu.Unlock()
	}
}

// take cuts what came into lines and keeps the three records that count.
func (s *Sandbox) take(b []byte) {
	s.rest = append(s.rest, b...)
	for {
		line, rest, whole := bytes.Cut(s.rest, []byte{'\n'})
		if !whole {
			return
		}
		s.rest = rest
		var head struct{ Event string }
		if json.Unmarshal(line, &head) != nil {
			continue
		}
		switch head.Event {
		case "enforced":
			s.report = new(Report)
			json.Unmarshal(line, s.report)
		case "refused":
			var r order.Refused
			json.Unmarshal(line, &r)
			s.refusal = refused(&r)
		case "exited":
			s.result = new(Result)
			json.Unmarshal(line, s.result)
		}
	}
}
