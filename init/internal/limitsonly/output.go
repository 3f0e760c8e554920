package limitsonly

import (
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/guard"
)

// An output carries the server's guarded standard output, by a goroutine. Package stdio does the same in the
// loop of Linux.
type output struct {
	server *os.File      // the server's end of the pipe; the shim's own standard output where that is not guarded
	done   chan struct{} // closed when everything is written; nil where nothing is guarded
}

// open puts a pipe in place of standard output, if that is to be guarded. The shim keeps standard output open
// until the pipe ends, so that the host sees the end.
func (o *output) open(guarded bool) error {
	if o.server = os.Stdout; !guarded {
		return nil
	}
	to, err := duplicate(os.Stdout)
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		to.Close()
		return err
	}
	o.server, o.done = w, make(chan struct{})
	go o.relay(r, to)
	return nil
}

// relay divides the output into messages and other lines. If the host reads no more the server's pipe breaks.
func (o *output) relay(from, to *os.File) {
	defer close(o.done)
	defer from.Close()
	defer to.Close()
	var g guard.Guard
	write := func() error {
		_, err := to.Write(g.Messages())
		os.Stderr.Write(g.Rest())
		g.Written(len(g.Messages()), len(g.Rest()))
		return err
	}
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		g.Take(b[:n])
		if failed := write(); failed != nil || err != nil {
			break
		}
	}
	g.End()
	write()
}

// started closes the server's end, once the server has it.
func (o *output) started() {
	if o.done != nil {
		o.server.Close()
	}
}

// drain waits for the rest of the output, but not for longer than a second: a process that escaped may hold the pipe.
func (o *output) drain() {
	if o.done == nil {
		return
	}
	select {
	case <-o.done:
	case <-time.After(time.Second):
	}
}
