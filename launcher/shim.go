package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A channel is the host's end of the connection with its shim.
type channel interface {
	io.Closer
	// Next waits for the next piece of the records; nil: none follows.
	Next() []byte
	// Begin is called when Start begins, and may wait for other launches until over is closed.
	Begin(over <-chan struct{})
	// HangUp makes the shim see its host's end, and wakes a stopped shim. Later records can still be read.
	HangUp(shim *os.Process)
	// Ask asks the shim to end its server.
	Ask(shim *os.Process) error
	// Follow makes Next end once the shim has ended, also if another process holds the other end.
	Follow(pid int)
}

// A phase is how far a Cmd has come.
type phase uint8

const (
	prepared phase = iota
	queued         // Start waits for its turn
	starting       // Start uses the files
	running        // the shim was started, and a goroutine reads its records
	closed         // nothing is left of a Cmd that never was started
)

// A shim is the process that a Cmd starts, from before its start.
type shim struct {
	ctx     context.Context // of the launch
	channel channel
	files   []*os.File // the shim's ends, which this process does not need after Start

	mu      sync.Mutex
	phase   phase
	hungUp  bool          // Close was called
	ready   chan struct{} // closed when the process has been started
	process *os.Process   // since then
	began   time.Time

	records recordReader
}

func newShim(ctx context.Context, c channel, files []*os.File) *shim {
	return &shim{ctx: ctx, channel: c, files: files, ready: make(chan struct{}),
		records: recordReader{begun: make(chan struct{}), over: make(chan struct{})}}
}

// beginStart notes that Start begins, and reports whether it may: not when the sandbox was closed.
func (s *shim) beginStart() bool {
	s.mu.Lock()
	may, begins := s.phase != closed, s.phase == prepared
	if begins {
		s.phase = queued
	}
	s.mu.Unlock()
	if begins {
		s.channel.Begin(s.ctx.Done())
		s.mu.Lock()
		s.phase = max(s.phase, starting)
		s.mu.Unlock()
	}
	return may
}

// at is how far the Cmd has come.
func (s *shim) at() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

// started notes that Start has made the process, and begins to read.
func (s *shim) started(process *os.Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == running {
		return
	}
	s.phase, s.process, s.began = running, process, time.Now()
	s.closeFiles()
	s.channel.Follow(process.Pid)
	if s.hungUp {
		s.channel.HangUp(process)
	}
	close(s.ready)
	go s.read()
}

// forgotten notes that the Cmd is garbage. Where a helper has reset Cancel and WaitDelay, Start is unobserved: then
// end of file on the channel shows that no shim runs.
func (s *shim) forgotten() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase <= starting {
		s.phase = running
		s.closeFiles()
		go s.read()
	}
}

func (s *shim) closeFiles() {
	for _, f := range s.files {
		f.Close()
	}
	s.files = nil
}

// close hangs up. A channel without a Start is closed at once; while Start runs, its files stay open.
func (s *shim) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.hungUp
	s.hungUp = true
	switch s.phase {
	case prepared:
		s.phase = closed
		s.closeFiles()
		return s.channel.Close()
	case queued, starting:
		s.channel.HangUp(nil)
		if !again {
			s.failed(queued)
		}
	case running:
		s.channel.HangUp(s.process)
	}
	return nil
}

// failedAfter is longer than any Start that is not in the queue, whatever else the machine does.
const failedAfter = time.Minute

// failed lets go of the files of a closed sandbox once Start has made no process for that long. was is how far the Cmd
// had come a while before: a host that was stopped meanwhile has had no time for a Start.
func (s *shim) failed(was phase) {
	time.AfterFunc(failedAfter, func() {
		switch at := s.at(); {
		case at > starting:
		case at == was && at == starting:
			s.forgotten()
		default:
			s.failed(at)
		}
	})
}

func (s *shim) isClosed() bool { return s.at() == closed }

// startTimeout is the maximal duration of a Start. The timeout matters only for a failed Start, or where a helper has
// reset Cancel and WaitDelay of the Cmd.
const startTimeout = 2 * time.Second

// await waits until there is a process. cmd is looked at only when that takes longer than any Start that works.
func (s *shim) await(ctx context.Context, cmd *exec.Cmd) error {
	at := s.at()
	switch at {
	case running:
		return nil
	case prepared, closed:
		return errNotStarted
	}
	late := time.NewTimer(startTimeout)
	defer late.Stop()
	for {
		select {
		case <-s.ready:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-late.C:
		}
		if at != queued {
			break
		}
		at = s.at()
		late.Reset(startTimeout)
	}
	if cmd.Process == nil {
		return errNotStarted
	}
	s.started(cmd.Process)
	return nil
}

// read takes the records until the shim is gone. A fault in that ends the launch, and not the host.
func (s *shim) read() {
	defer func() {
		if recover() != nil {
			s.channel.HangUp(s.process)
			s.lost()
		}
	}()
	s.records.readAll(s.channel.Next)
	s.records.finish()
	s.channel.Close()
	reapOrphans(s.lost())
}

// errLost is a shim that ended without a last record.
var errLost = errors.New("the launcher's process ended before the server was released, and did not say why")

// lost reports whether the shim ended without a last record, and then finds one for it: the shim was killed, or got
// SIGTERM before its handler was set.
func (s *shim) lost() bool {
	r := &s.records
	defer r.end()
	if isClosed(r.over) {
		return false
	}
	if report := decode[Report](r.first); report != nil { // with the shim the kernel has ended the server
		r.result = &Result{Event: "exited", Time: time.Now().UTC().Truncate(time.Millisecond), ID: report.ID,
			Cause: order.CauseSupervisorLost, Signal: "SIGKILL",
			ExitCode: 128 + int(syscall.SIGKILL), WallSeconds: time.Since(s.began).Seconds()}
		return true
	}
	if s.process == nil {
		r.refusal = errNotStarted
		return false
	}
	err := errLost
	if ended := s.ctx.Err(); ended != nil {
		err = fmt.Errorf("%w before the server was released", ended)
	}
	r.refusal = &Error{Layer: order.Exec, Op: "start", Err: err}
	return true
}
