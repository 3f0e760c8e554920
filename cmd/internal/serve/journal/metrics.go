package journal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// A kind of metric is its name, its type, and the label that it has.
type kind struct{ name, kind, label string }

const prefix = "mcp_sandbox_serve_"

// kinds are the metrics. No label holds a word that a client chose.
var kinds = [...]kind{
	{Sandboxes, "gauge", "era"}, {Streams, "gauge", ""}, {Draining, "gauge", ""},
	{Starts, "counter", "result"}, {Ends, "counter", "cause"}, {Requests, "counter", "era"},
	{Refusals, "counter", "reason"}, {Dropped, "counter", ""},
	{RequestSeconds, "histogram", ""}, {StartSeconds, "histogram", ""},
}

// The names of the metrics.
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

// bounds are the upper ends of the histograms' buckets, in seconds.
var bounds = [...]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// A metric is one line, or with buckets one histogram.
type metric struct {
	value   float64
	buckets []int
}

// Metrics are numbers of one process. The zero value counts.
type Metrics struct {
	mu  sync.Mutex
	all map[string]map[string]*metric // by name and by the label's value
}

func (m *Metrics) of(name, label string) *metric {
	if m.all == nil {
		m.all = map[string]map[string]*metric{}
	}
	if m.all[name] == nil {
		m.all[name] = map[string]*metric{}
	}
	if m.all[name][label] == nil {
		m.all[name][label] = &metric{}
	}
	return m.all[name][label]
}

// Add adds to a metric, of the label's value, which is "" where the metric has none.
func (m *Metrics) Add(name, label string, n float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(name, label).value += n
}

// Observe counts a time that something took.
func (m *Metrics) Observe(name string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.of(name, "")
	if h.buckets == nil {
		h.buckets = make([]int, len(bounds)+1)
	}
	at, _ := slices.BinarySearch(bounds[:], took.Seconds())
	h.buckets[at]++
	h.value += took.Seconds()
}

// Write writes all metrics in Prometheus' text format.
func (m *Metrics) Write(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range kinds {
		fmt.Fprintf(w, "# TYPE %s%s %s\n", prefix, k.name, k.kind)
		labels := make([]string, 0, len(m.all[k.name]))
		for label := range m.all[k.name] {
			labels = append(labels, label)
		}
		if k.label == "" && len(labels) == 0 {
			labels = append(labels, "")
		}
		slices.Sort(labels)
		for _, label := range labels {
			m.of(k.name, label).write(w, k, label)
		}
	}
}

func (m *metric) write(w io.Writer, k kind, label string) {
	if k.kind != "histogram" {
		if k.label != "" {
			label = fmt.Sprintf("{%s=%q}", k.label, label)
		}
		fmt.Fprintf(w, "%s%s%s %v\n", prefix, k.name, label, m.value)
		return
	}
	count := 0
	for i, n := range append(m.buckets, make([]int, len(bounds)+1-len(m.buckets))...) {
		count += n
		bound := "+Inf"
		if i < len(bounds) {
			bound = strings.TrimSuffix(fmt.Sprint(bounds[i]), ".0")
		}
		fmt.Fprintf(w, "%s%s_bucket{le=%q} %d\n", prefix, k.name, bound, count)
	}
	fmt.Fprintf(w, "%s%s_sum %v\n%s%s_count %d\n", prefix, k.name, m.value, prefix, k.name, count)
}
