package launcher

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A recordReader keeps the first record of each kind that a shim sends. One goroutine calls readAll; fields stored
// before a channel's close do not change later.
type recordReader struct {
	hostNetwork bool         // the server has the host's network
	onDenied    func(Denial) // the host's, or nil
	denials     chan Denial  // those that onDenied has not got; made at the first one

	begun, over chan struct{} // the first record of a launch has come, and the last; or none will
	tried       *order.Tried  // of a probe; before the first record
	first       []byte        // the report; nil: there is none; set before begun is closed
	refusal     error         // set before both are
	result      *Result       // set before over is
}

// readAll takes records until the shim is gone. One record may come in several pieces.
func (r *recordReader) readAll(next func() []byte) {
	var text []byte
	for piece := next(); piece != nil; piece = next() {
		text = append(text, piece...)
		for len(text) > 0 {
			end := bytes.IndexByte(text, '\n')
			if end < 0 {
				break
			}
			r.take(text[:end])
			if text = text[end+1:]; len(text) == 0 {
				text = nil // its memory: the next record may come in hours
			}
		}
	}
}

func (r *recordReader) take(line []byte) {
	if isClosed(r.over) {
		return
	}
	rest, _ := bytes.CutPrefix(line, []byte(`{"event":"`)) // the first member of every record
	kind, _, _ := bytes.Cut(rest, []byte(`"`))
	switch string(kind) {
	case "tried":
		if tried := decode[order.Tried](line); tried != nil && !isClosed(r.begun) {
			r.tried = tried
		}
	case "lowered":
		if l := decode[order.Lowered](line); l != nil {
			refusalCache.Store(r.hostNetwork, l)
		}
	case "enforced":
		if !isClosed(r.begun) {
			r.first = bytes.Clone(line)
			close(r.begun)
		}
	case "denied":
		if d := decode[order.Denied](line); d != nil && r.onDenied != nil {
			r.tell(Denial{Act: d.Act, Flag: d.Flag, Errno: d.Errno, Count: 1})
		}
	case "refused":
		if record := decode[order.Refused](line); record != nil {
			r.refusal = refused(record)
			r.end()
		}
	case "exited":
		if result := decode[Result](line); result != nil {
			r.result = result
			r.end()
		}
	}
}

// mostDenials is how many denied records a launch writes at most: those of package tally, and one about processes.
const mostDenials = 257

// tell hands a denial to the goroutine that calls the host's function. Records go on being read meanwhile.
func (r *recordReader) tell(d Denial) {
	if r.denials == nil {
		r.denials = make(chan Denial, mostDenials)
		go func() {
			for d := range r.denials {
				r.onDenied(d)
			}
		}()
	}
	select {
	case r.denials <- d:
	default: // more than any launch writes
	}
}

// finish says that no denial follows.
func (r *recordReader) finish() {
	if r.denials != nil {
		close(r.denials)
	}
}

// decode is nil for a line that is no such record.
func decode[T any](line []byte) *T {
	r := new(T)
	if json.Unmarshal(line, r) != nil {
		return nil
	}
	return r
}

// end wakes all that still wait.
func (r *recordReader) end() {
	for _, c := range []chan struct{}{r.begun, r.over} {
		if !isClosed(c) {
			close(c)
		}
	}
}

// mostPiece is more than the pieces that a shim sends. Of a longer message read(2) would drop the rest.
const mostPiece = 16 << 10

// piece reads a piece of the records; nil: none follows.
func piece(from io.Reader) []byte {
	b := make([]byte, mostPiece)
	n, err := from.Read(b)
	if n <= 0 || err != nil {
		return nil
	}
	return b[:n]
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
