package journal

import (
	"bytes"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A long line of control characters costs little memory, and its secrets are not shown.
func TestLongLines(t *testing.T) {
	var out bytes.Buffer
	l := New(&out, false, slog.LevelInfo).Server("1", map[string]string{"KEY": "swordfish"})
	line := append([]byte("swordfish"), bytes.Repeat([]byte{1}, 16<<20)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l.Line(line)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 || !strings.Contains(out.String(), "[KEY]") || out.Len() > 1000 {
		t.Errorf("%d MB for %.300s", n>>20, out.String())
	}
}

// The buckets of a histogram come in their order, the last one with everything.
func TestHistogram(t *testing.T) {
	j := New(io.Discard, false, slog.LevelInfo)
	for _, took := range []time.Duration{time.Millisecond, time.Second, time.Hour} {
		j.Observe(StartSeconds, took)
	}
	var out strings.Builder
	j.Write(&out)
	_, rest, _ := strings.Cut(out.String(), `start_seconds_bucket{le="0.01"} 1`)
	_, rest, _ = strings.Cut(rest, `start_seconds_bucket{le="1"} 2`)
	if !strings.Contains(rest, `start_seconds_bucket{le="+Inf"} 3`) || !strings.Contains(rest, "start_seconds_count 3\n") {
		t.Error(out.String())
	}
}
