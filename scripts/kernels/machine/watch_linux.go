package machine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"time"
)

// A watch passes on what a machine prints, without the carriage returns of a serial line, and gives the machine up when
// that is nothing for a time.
type watch struct {
	to     io.Writer
	limit  time.Duration
	timer  *time.Timer
	giveUp context.CancelCauseFunc
}

// newWatch returns a context that ends with the machine's silence, which is then its cause. A limit of 0 is none.
func newWatch(ctx context.Context, to io.Writer, limit time.Duration) (context.Context, *watch) {
	ctx, giveUp := context.WithCancelCause(ctx)
	limit = cmp.Or(limit, math.MaxInt64)
	timer := time.AfterFunc(limit, func() { giveUp(fmt.Errorf("it printed nothing for %v", limit)) })
	return ctx, &watch{to, limit, timer, giveUp}
}

func (w *watch) Write(b []byte) (int, error) {
	w.timer.Reset(w.limit)
	_, err := w.to.Write(bytes.ReplaceAll(b, []byte("\r"), nil))
	return len(b), err
}

func (w *watch) stop() {
	w.timer.Stop()
	w.giveUp(nil)
}
