package machine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"
)

// plain takes out the carriage returns of a serial line.
type plain struct{ to io.Writer }

func (p *plain) Write(b []byte) (int, error) {
	if _, err := p.to.Write(bytes.ReplaceAll(b, []byte("\r"), nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// A watch passes on what a machine prints, and gives it up when that is nothing for a time.
type watch struct {
	to     io.Writer
	limit  time.Duration
	timer  *time.Timer // nil: no limit
	giveUp context.CancelCauseFunc
}

// newWatch returns a context that ends with the machine's silence, which is then its cause. A limit of 0 is none.
func newWatch(ctx context.Context, to io.Writer, limit time.Duration) (context.Context, *watch) {
	ctx, giveUp := context.WithCancelCause(ctx)
	w := &watch{to: to, limit: limit, giveUp: giveUp}
	if limit > 0 {
		w.timer = time.AfterFunc(limit, func() { giveUp(fmt.Errorf("it printed nothing for %v", limit)) })
	}
	return ctx, w
}

func (w *watch) Write(b []byte) (int, error) {
	if w.timer != nil {
		w.timer.Reset(w.limit)
	}
	return w.to.Write(b)
}

func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.giveUp(nil)
}
