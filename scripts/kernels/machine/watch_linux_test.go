package machine

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A machine that prints is left alone for longer than its limit, and one that is silent is not.
func TestWatch(t *testing.T) {
	var out strings.Builder
	const limit = 400 * time.Millisecond
	ctx, w := newWatch(t.Context(), &out, limit)
	defer w.stop()
	began := time.Now()
	for time.Since(began) < 2*limit && ctx.Err() == nil {
		if _, err := w.Write([]byte("a\r\n")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(limit / 20)
	}
	if err := context.Cause(ctx); err != nil {
		t.Errorf("it printed all the time: %v", err)
	}
	if !strings.HasPrefix(out.String(), "a\na\n") || strings.Contains(out.String(), "\r") {
		t.Errorf("printed %q", out.String())
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
	}
	if err := context.Cause(ctx); err == nil || !strings.Contains(err.Error(), "printed nothing for 400ms") {
		t.Errorf("silent: %v", err)
	}
	free, w := newWatch(t.Context(), &out, 0)
	defer w.stop()
	if time.Sleep(limit / 20); free.Err() != nil {
		t.Error("without a limit it is given up")
	}
}
