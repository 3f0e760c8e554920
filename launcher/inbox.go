package launcher

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A channel is the host's end of what lies between a host and its shim.
type channel interface {
	io.ReadCloser
	// HangUp tells the shim that its host is gone, also one that was stopped. What the shim then says can still be read.
	HangUp(shim *os.Process)
	// Follow ends what can be read once the shim has ended, whoever else holds the other end.
	Follow(pid int)
}

// An inbox takes what a shim tells its host. One goroutine reads, whoever asks, and what it stored before it closed a
// channel does not change after.
type inbox struct {
	ctx    context.Context // of the launch
	socket channel
	files  []*os.File // the shim's ends, which this process does not need after Start

	mu    sync.Mutex
	phase phase
	hung  bool          // Close was called
	ready chan struct{} // closed when the shim has been started
	shim  *os.Process   // since then
	began time.Time

	lowered *atomic.Pointer[order.Lowered] // where to remember what the machine refuses

	begun, over chan struct{} // the first line has come, and the last; or none will
	tried       *order.Tried  // what comes before the first line of a probe, if it comes at all
	report      *Report       // set before begun is closed
	refusal     error         // set before both are
	result      *Result       // set before over is
}

func newInbox(ctx context.Context, socket channel, files []*os.File) *inbox {
	return &inbox{ctx: ctx, socket: socket, files: files, ready: make(chan struct{}), begun: make(chan struct{}), over: make(chan struct{})}
}

// read takes lines until the shim is gone. One line may come in several messages.
func (i *inbox) read() {
	defer func() { reapOrphans(i.lost()) }()
	defer i.socket.Close()
	var text []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := i.socket.Read(buf)
		if n <= 0 || err != nil {
			return
		}
		text = append(text, buf[:n]...)
		for {
			line, rest, whole := bytes.Cut(text, []byte{'\n'})
			if !whole {
				break
			}
			i.take(line)
			text = rest
		}
	}
}

// end lets everybody go on that still waits.
func (i *inbox) end() {
	for _, c := range []chan struct{}{i.begun, i.over} {
		if !isClosed(c) {
			close(c)
		}
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// take keeps each of the records that count, once.
func (i *inbox) take(line []byte) {
	var head struct{ Event string }
	if json.Unmarshal(line, &head) != nil || isClosed(i.over) {
		return
	}
	switch head.Event {
	case "tried":
		if r := new(order.Tried); !isClosed(i.begun) && json.Unmarshal(line, r) == nil {
			i.tried = r
		}
	case "lowered":
		if l := new(order.Lowered); json.Unmarshal(line, l) == nil && i.lowered != nil {
			i.lowered.Store(l)
		}
	case "enforced":
		if r := new(Report); !isClosed(i.begun) && json.Unmarshal(line, r) == nil {
			i.report = r
			close(i.begun)
		}
	case "refused":
		if r := new(order.Refused); json.Unmarshal(line, r) == nil {
			i.refusal = refused(r)
			i.end()
		}
	case "exited":
		if r := new(Result); json.Unmarshal(line, r) == nil {
			i.result = r
			i.end()
		}
	}
}

// errLost is a shim that ended without a last word.
var errLost = errors.New("the launcher's process ended before the server was released, and did not say why")

// lost reports whether the shim ended without a last word, and then finds one for it: somebody killed it, or asked it to end
// before it could listen.
func (i *inbox) lost() bool {
	defer i.end()
	if isClosed(i.over) {
		return false
	}
	if i.report != nil { // with the shim the kernel has ended the server
		i.result = &Result{Event: "exited", Cause: order.CauseSupervisorLost, Signal: "SIGKILL", ExitCode: 128 + int(syscall.SIGKILL),
			WallSeconds: time.Since(i.began).Seconds()}
		return true
	}
	err := errLost
	if ended := i.ctx.Err(); ended != nil {
		err = fmt.Errorf("%w before the server was released", ended)
	}
	i.refusal = &Error{Layer: order.Exec, Op: "start", Err: err}
	return true
}
