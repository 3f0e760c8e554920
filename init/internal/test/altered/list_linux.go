package altered

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
)

// An Op is one call of a program, as a shim lists it.
type Op struct {
	Index int
	Row   int // in the order of the table; -1: the frame's own
	Class uint8
	Ran   bool
	Line  string
}

func write(p *layers.Layout) {
	var all []Op
	results := p.Copy()
	for i := range p.Len() {
		row := slices.IndexFunc(p.Spans, func(s [2]int) bool { return s[0] <= i && i < s[1] })
		all = append(all, Op{i, row, uint8(p.Class(i)), results.Ran(p.Op(i)), p.Line(i, nil)})
	}
	f := os.NewFile(ListFD, "list")
	json.NewEncoder(f).Encode(all)
	f.Close()
}

// Unnumbered gives the calls of a program as they are printed, wherever they are in it: without their numbers, and with
// the call itself where it is named by its number. The second of two calls that look the same is marked as such.
func Unnumbered(all []Op) []string {
	number, reference := regexp.MustCompile(`^[0-9]+ +`), regexp.MustCompile(`#[0-9]+`)
	var names []string
	seen := map[string]int{}
	for _, o := range all {
		name := reference.ReplaceAllStringFunc(number.ReplaceAllString(o.Line, ""), func(ref string) string {
			i, err := strconv.Atoi(ref[1:])
			if err != nil || i >= len(names) {
				return ref
			}
			return "<" + names[i] + ">"
		})
		seen[name]++
		names = append(names, name+strings.Repeat("'", seen[name]-1))
	}
	return names
}

// Pipe is a pipe.
func Pipe(tb testing.TB) (r, w *os.File) {
	tb.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	return r, w
}

// Event is the name of the report's only or last record.
func (o *Outcome) Event() string {
	if len(o.Report) == 0 {
		return "no report"
	}
	s, _ := o.Report[len(o.Report)-1]["event"].(string)
	return s
}

// Told is a list of the report's line of an event.
func (o *Outcome) Told(event, list string) (words []string) {
	for _, r := range o.Report {
		if all, ok := r[list].([]any); ok && r["event"] == event {
			for _, w := range all {
				words = append(words, w.(string))
			}
		}
	}
	return words
}
