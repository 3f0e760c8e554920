package shim

import "os"

// Read reads a record of the launch, up to its end.
func (h *Hosted) Read(b []byte) (int, error) {
	h.mu.Lock()
	is := h.state
	h.mu.Unlock()
	if len(h.rest) == 0 && is == begun {
		h.rest = <-h.lines
	}
	n := copy(b, h.rest)
	h.rest = h.rest[n:]
	if n == 0 {
		return 0, os.ErrClosed
	}
	return n, nil
}

// Socket is the host's end of the shim's socket, once Read has ended, and a pidfd of the shim, or -1. It is nil where
// the process did not become a shim.
func (h *Hosted) Socket() (socket *os.File, process int) { return h.shim, h.process }

// HangUp ends the launch as the end of the host would.
func (h *Hosted) HangUp() {
	h.closed.Store(true)
	if w := h.waiter.Load(); w != nil {
		w.Rouse()
	}
}

// Close closes the files of a launch that was not begun.
func (h *Hosted) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state == notBegun {
		h.state = forgotten
		h.parent.Close()
	}
	return nil
}

func (h *Hosted) give(line []byte) {
	if h.Give != nil {
		h.Give(line)
		return
	}
	select {
	case h.lines <- line:
	default: // more than any launch has
	}
}
