package journal

import (
	"bytes"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A long line of control characters costs little memory, and its secrets are not shown.
func TestLongLines(t *testing.T) {
	var out bytes.Buffer
	l := New(&out, false, slog.LevelInfo).Server("1", []string{"KEY=swordfish", "PEM=first-line\r\nsecond-line\r\n",
		`LONG=first-line\nof another`})
	line := append([]byte("swordfish"), bytes.Repeat([]byte{1}, 16<<20)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l.Line(line)
	runtime.ReadMemStats(&after)
	l.Line([]byte("second-line"))
	l.Line([]byte(`first-line\nof another`))
	if strings.Contains(out.String(), "another") || strings.Contains(out.String(), "second") || !strings.Contains(out.String(), "line=[PEM]") {
		t.Error(out.String())
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 || !strings.Contains(out.String(), "[KEY]") || out.Len() > 1000 {
		t.Errorf("%d MB for %.300s", n>>20, out.String())
	}
}

// A secret that is longer than what is read of a line, or that stands at the end of that, is not shown in part either.
func TestLongSecrets(t *testing.T) {
	for _, size := range []int{3000, longest, 2 * longest} {
		var out bytes.Buffer
		secret := strings.Repeat("secretly", size/8)
		l := New(&out, false, slog.LevelInfo).Server("1", []string{"KEY=" + secret})
		for n := range 4 {
			l.Line([]byte(strings.Repeat(secret, n+1)))
			l.Line([]byte(strings.Repeat(secret, n+1))[:min((n+1)*size, longest)]) // as standard error is read
		}
		l.Line([]byte("the end"))
		if text := out.String(); strings.Contains(text, "secretly") || !strings.Contains(text, "the end") {
			t.Errorf("%d bytes: %.300s", size, text)
		}
	}
}

// A stranger who makes errors of TLS fills no log with them, and hides no other error.
func TestErrorsOfHTTP(t *testing.T) {
	var out bytes.Buffer
	l := New(&out, true, slog.LevelInfo).HTTP()
	for range 1000 {
		l.Print("http: TLS handshake error from 192.0.2.1:1: EOF")
	}
	l.Print("http: panic serving 192.0.2.1:1: a\nb\n" + strings.Repeat("x", 1<<20))
	if n := strings.Count(out.String(), "\n"); n < 2 || n > 100 || out.Len() > 1<<15 || !strings.Contains(out.String(), `a\nb\n`) {
		t.Errorf("%d lines: %.1000s", n, out.String())
	}
}

// A server and clients that are refused fill no log, and all of these are counted.
func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where no second begins meanwhile
		var out bytes.Buffer
		j := New(&out, false, slog.LevelInfo)
		l := j.Server("1", nil)
		for range 100 {
			l.Line([]byte("of the server"))
			j.Refused("limit", "192.0.2.1:1")
			j.Refused("auth", "192.0.2.1:1")
		}
		text := out.String()
		if n := strings.Count(text, "of the server"); n != linesASecond {
			t.Errorf("%d lines of a server in a second", n)
		}
		if n, m := strings.Count(text, "reason=limit"), strings.Count(text, "reason=auth"); n != 1 || m != 1 {
			t.Errorf("%d and %d refused requests in a second", n, m)
		}
		var metrics bytes.Buffer
		if j.Write(&metrics); !strings.Contains(metrics.String(), `refusals_total{reason="limit"} 100`) {
			t.Errorf("%s", metrics.String())
		}
	})
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
