package shim_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/layers"
)

// An op is one call of a program, as a shim lists it.
type op struct {
	Index int
	Row   int // in the order of the table; -1: the frame's own
	Class uint8
	Ran   bool
	Line  string
}

func write(p *layers.Layout) {
	var all []op
	results := p.Copy()
	for i := range p.Len() {
		row := slices.IndexFunc(p.Spans, func(s [2]int) bool { return s[0] <= i && i < s[1] })
		all = append(all, op{i, row, uint8(p.Class(i)), results.Ran(p.Op(i)), p.Line(i, nil)})
	}
	f := os.NewFile(listFD, "list")
	json.NewEncoder(f).Encode(all)
	f.Close()
}

func pipe(tb testing.TB) (r, w *os.File) {
	tb.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	return r, w
}

// event is the name of the report's only or last record.
func (o *outcome) event() string {
	if len(o.report) == 0 {
		return "no report"
	}
	s, _ := o.report[len(o.report)-1]["event"].(string)
	return s
}
