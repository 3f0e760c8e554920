package machine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A machine that prints is left alone for longer than its limit, one that is silent is given up at its limit, and one
// without a limit never.
func TestWatch(t *testing.T) { synctest.Test(t, watched) }

func watched(t *testing.T) {
	var out strings.Builder
	const limit = 400 * time.Millisecond
	ctx, w := newWatch(t.Context(), &out, limit)
	defer w.stop()
	free, f := newWatch(t.Context(), &out, 0)
	defer f.stop()
	for range 3 {
		if _, err := w.Write([]byte("a\r\n")); err != nil {
			t.Fatal(err)
		}
		testbed.Pass(limit - 1)
	}
	if err := context.Cause(ctx); err != nil {
		t.Errorf("it printed all the time: %v", err)
	}
	if out.String() != "a\na\na\n" {
		t.Errorf("printed %q", out.String())
	}
	testbed.Pass(1)
	if err := context.Cause(ctx); err == nil || !strings.Contains(err.Error(), "printed nothing for 400ms") {
		t.Errorf("silent: %v", err)
	}
	if testbed.Pass(1000 * time.Hour); free.Err() != nil {
		t.Error("without a limit it is given up")
	}
}
