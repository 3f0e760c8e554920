package basic

import (
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/guard"
)

// output is the server's standard output where lines that are no messages are taken out of it.
type output struct {
	give *os.File      // the server's end; nil where it has the shim's own
	done chan struct{} // closed when everything is written
}

// open puts a pipe in place of standard output, if it is to be guarded. The shim's own standard output is kept: at its end the
// reader of the pipe closes it, so that the host sees the end.
func (o *output) open(guarded bool) error {
	if !guarded {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	to, err := duplicate(os.Stdout)
	if err != nil {
		r.Close()
		w.Close()
		return err
	}
	o.give, o.done = w, make(chan struct{})
	go o.sort(r, to)
	return nil
}

// sort parts what comes into messages and the rest. A host that reads no more ends the session: the server is told by a
// broken pipe.
func (o *output) sort(from, to *os.File) {
	defer close(o.done)
	defer from.Close()
	defer to.Close()
	var g guard.Guard
	put := func() error {
		_, err := to.Write(g.Messages())
		os.Stderr.Write(g.Rest())
		g.Written(len(g.Messages()), len(g.Rest()))
		return err
	}
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		g.Take(b[:n])
		if bad := put(); bad != nil || err != nil {
			break
		}
	}
	g.End()
	put()
}

// started closes the server's end, which the server has now.
func (o *output) started() {
	if o.give != nil {
		o.give.Close()
	}
}

// drain waits until what the server wrote is passed on: no longer than a moment, for a process that escaped may hold the pipe.
func (o *output) drain() {
	if o.done == nil {
		return
	}
	select {
	case <-o.done:
	case <-time.After(time.Second):
	}
}
