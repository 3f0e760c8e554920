package shim

import "os"

// Next waits for a record of the launch; nil: none follows.
func (h *Hosted) Next() []byte {
	if !h.taken.Load() {
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
func (h *Hosted) Socket() (socket *os.File, process int) {
	if socket = h.shim.Load(); socket == nil {
		return nil, -1
	}
	return socket, h.process
}

// HangUp ends the launch as the end of the host would.
func (h *Hosted) HangUp() {
	h.closed.Store(true)
	if w := h.waiter.Load(); w != nil {
		w.Rouse()
	}
}

// Close closes the files of a launch that was not begun, and the socket of its shim.
func (h *Hosted) Close() error {
	if h.taken.CompareAndSwap(false, true) {
		h.parent.Close()
		close(h.lines)
	}
	_ = h.shim.Load().Close() // of none an error
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
