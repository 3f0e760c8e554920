// Package journal is what serve tells its operators: a log on standard error and metrics.
//
//	j := journal.New(os.Stderr, false, slog.LevelInfo)
//	j.Log.Info("listening", "url", url)
//	j.Refused("limit", remote)
//
// Nothing here holds a token, a session's id, a header or a body. Text of a server is cut, escaped and slowed down.
package journal

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Journal is safe for several goroutines.
type Journal struct {
	Log *slog.Logger
	Metrics

	rates sync.Map // of a kind of record to *rate
}

// New writes lines of text, or JSON. The log's time is in UTC.
func New(w io.Writer, json bool, least slog.Level) *Journal {
	o := &slog.HandlerOptions{Level: least}
	j := &Journal{Log: slog.New(slog.NewTextHandler(w, o))}
	j.series = map[string]float64{Draining: 0, Streams: 0, Dropped: 0}
	if json {
		j.Log = slog.New(slog.NewJSONHandler(w, o))
	}
	return j
}

// Refused counts a request that was refused, and logs one a second for each reason.
func (j *Journal) Refused(reason, remote string) {
	j.Add(Refusals, reason, 1)
	if j.allows(reason) {
		j.Log.Warn("request refused", "reason", reason, "remote", remote)
	}
}

// allows lets one record a second of a kind pass.
func (j *Journal) allows(kind string) bool {
	r, _ := j.rates.LoadOrStore(kind, &rate{most: 1})
	return r.(*rate).allows(time.Now())
}

// HTTP is where net/http writes its errors. Any stranger makes those of TLS, so they take no other's place.
func (j *Journal) HTTP() *log.Logger { return log.New(errorsOf{j}, "", 0) }

type errorsOf struct{ *Journal }

func (j errorsOf) Write(text []byte) (int, error) {
	kind := "http"
	if bytes.Contains(text, []byte("TLS handshake")) {
		kind = "tls"
	}
	if j.allows(kind) {
		j.Log.Error(kind, "error", strings.TrimSpace(string(text[:min(len(text), longest)])))
	}
	return len(text), nil
}

// A rate allows so many a second.
type rate struct {
	most int

	mu     sync.Mutex
	second int64
	n      int
}

func (r *rate) allows(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Unix() != r.second {
		r.second, r.n = now.Unix(), 0
	}
	r.n++
	return r.n <= r.most
}

// A ServerLog has the lines that one server writes besides messages.
type ServerLog struct {
	journal *Journal
	id      string
	secrets *strings.Replacer
	most    int // bytes of the longest secret
	rate    rate
}

const (
	linesASecond = 20
	columns      = 200
	longest      = 8 << 10
	leastSecret  = 8 // bytes: replacing shorter values would garble the text and hide nothing
)

// Server is the log of a server. The values of its variables are not shown.
func (j *Journal) Server(id string, variables []string) *ServerLog {
	names := map[string]string{} // of each line: a server may show a value line by line
	for _, entry := range variables {
		name, value, _ := strings.Cut(entry, "=")
		for line := range strings.SplitSeq(value, "\n") {
			if line = strings.TrimRight(line, "\r"); len(line) >= leastSecret {
				names[line] = name
			}
		}
	}
	var pairs []string
	longest := func(a, b string) int { return len(b) - len(a) } // one may begin with another
	most := 0
	for _, line := range slices.SortedFunc(maps.Keys(names), longest) {
		pairs = append(pairs, line, "["+names[line]+"]")
		most = max(most, len(line))
	}
	return &ServerLog{journal: j, id: id, secrets: strings.NewReplacer(pairs...), most: most,
		rate: rate{most: linesASecond}}
}

// Line logs a line of a server's. It is escaped, so that it makes no other line, and cut.
func (s *ServerLog) Line(line []byte) {
	if len(line) == 0 || !s.rate.allows(time.Now()) {
		return
	}
	shown := s.secrets.Replace(string(line[:min(len(line), longest)])) // one that is no message may have megabytes
	if len(line) >= longest {
		shown = shown[:max(0, len(shown)-s.most)] // which may have the beginning of a secret
	}
	quoted := strconv.QuoteToGraphic(shown)
	text := []rune(quoted[1 : len(quoted)-1])
	if len(text) > columns {
		text = append(text[:columns-1], '…')
	}
	s.journal.Log.Info("server", "id", s.id, "line", string(text))
}

// The names of the metrics. No label holds a word that a client chose.
const (
	Sandboxes      = "sandboxes"
	Streams        = "streams"
	Draining       = "draining"
	Starts         = "starts_total"
	Ends           = "ends_total"
	Requests       = "requests_total"
	Refusals       = "refusals_total"
	Dropped        = "dropped_messages_total"
	RequestSeconds = "request_seconds"
	StartSeconds   = "start_seconds"
)

// shapes are the type of each metric, and the name of its label.
var shapes = map[string][2]string{Sandboxes: {"gauge", "era"}, Streams: {"gauge"}, Draining: {"gauge"},
	Starts: {"counter", "result"}, Ends: {"counter", "cause"}, Requests: {"counter", "era"},
	Refusals: {"counter", "reason"}, Dropped: {"counter"}, RequestSeconds: {"histogram"}, StartSeconds: {"histogram"}}

// bounds are the upper ends of the histograms' buckets, in seconds. As text they are in this order too.
var bounds = [...]float64{.001, .01, .1, 1, 10, math.Inf(1)}

// Metrics are numbers of one process.
type Metrics struct {
	mu     sync.Mutex
	series map[string]float64 // by the name with its label
}

// Add adds to a metric, of the label's value, which is "" where the metric has none.
func (m *Metrics) Add(name, label string, n float64) {
	if l := shapes[name][1]; l != "" {
		name = fmt.Sprintf("%s{%s=%q}", name, l, label)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.series[name] += n
}

// Observe counts a time that something took.
func (m *Metrics) Observe(name string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, bound := range bounds {
		if took.Seconds() <= bound {
			m.series[fmt.Sprintf("%s_bucket{le=%q}", name, strings.TrimPrefix(fmt.Sprint(bound), "+"))]++
		}
	}
	m.series[name+"_count"]++
	m.series[name+"_sum"] += took.Seconds()
}

// Write writes all metrics in Prometheus' text format.
func (m *Metrics) Write(w io.Writer) {
	m.mu.Lock()
	series := maps.Clone(m.series)
	m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		fmt.Fprintf(w, "# TYPE mcp_sandbox_serve_%s %s\n", name, shapes[name][0])
		for _, key := range slices.Sorted(maps.Keys(series)) {
			if rest, ok := strings.CutPrefix(key, name); ok && (rest == "" || rest[0] == '{' || rest[0] == '_') {
				fmt.Fprintf(w, "mcp_sandbox_serve_%s %v\n", strings.Replace(key, `"Inf"`, `"+Inf"`, 1), series[key])
			}
		}
	}
}
