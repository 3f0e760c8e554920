package launcher

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// An inbox takes what a shim tells its host. One goroutine reads, whoever asks, and what it stored before it closed a
// channel does not change after.
type inbox struct {
	socket io.ReadCloser
	files  []*os.File // the shim's ends, which this process does not need after Start
	once   sync.Once

	lowered *atomic.Pointer[order.Lowered] // where to remember what the machine refuses

	begun, over chan struct{} // the first line has come, and the last; or none will
	tried       *order.Tried  // what comes before the first line of a probe, if it comes at all
	report      *Report       // set before begun is closed
	refusal     error         // set before both are
	result      *Result       // set before over is
}

func newInbox(socket io.ReadCloser, files []*os.File) *inbox {
	return &inbox{socket: socket, files: files, begun: make(chan struct{}), over: make(chan struct{})}
}

// listen begins to read.
func (i *inbox) listen() {
	i.once.Do(func() {
		i.release() // or the end of the shim would not be seen
		go i.read()
	})
}

func (i *inbox) release() {
	for _, f := range i.files {
		f.Close()
	}
}

func (i *inbox) close() error {
	i.release()
	if err := i.socket.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// read takes lines until the shim is gone. One line may come in several messages.
func (i *inbox) read() {
	defer i.socket.Close()
	defer i.end()
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
		if !closed(c) {
			close(c)
		}
	}
}

func closed(c chan struct{}) bool {
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
	if json.Unmarshal(line, &head) != nil || closed(i.over) {
		return
	}
	switch head.Event {
	case "tried":
		if r := new(order.Tried); !closed(i.begun) && json.Unmarshal(line, r) == nil {
			i.tried = r
		}
	case "lowered":
		if l := new(order.Lowered); json.Unmarshal(line, l) == nil && i.lowered != nil {
			i.lowered.Store(l)
		}
	case "enforced":
		if r := new(Report); !closed(i.begun) && json.Unmarshal(line, r) == nil {
			i.report = r
			close(i.begun)
		}
	case "refused":
		if r := new(order.Refused); !closed(i.begun) && json.Unmarshal(line, r) == nil {
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
var errLost = errors.New("launcher: the shim ended without saying how")

// refused is the error of a record that did not come.
func (i *inbox) refused(missing bool) error {
	switch {
	case !missing:
		return nil
	case i.refusal != nil:
		return i.refusal
	}
	return errLost
}
