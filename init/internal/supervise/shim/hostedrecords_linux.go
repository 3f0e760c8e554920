package shim

import "os"

// Next waits for a record of the launch; nil: none follows.
func (h *Hosted) Next() []byte {
	h.mu.Lock()
	is := h.state
	h.mu.Unlock()
	if is != begun {
		return nil
	}
	line := <-h.lines
	if line == nil {
		return nil
	}
	return *line
}

// Socket is the host's end of the shim's socket, once Next has ended, and a pidfd of the shim, or -1. It is nil where
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
	case h.lines <- &line:
	default: // more than any launch has
	}
}
