package altered

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
)

// An Op is one call of a program, as a shim lists it.
type Op struct {
	Index int
	Row   int // in the order of the table; -1: the frame's own
	Class uint8
	Ran   bool
	Line  string
	Rule  uint64 // the rights of a rule of Landlock
}

func write(p *layers.Layout) {
	var all []Op
	results := p.Copy()
	for i := range p.Len() {
		row := slices.IndexFunc(p.Spans, func(s [2]int) bool { return s[0] <= i && i < s[1] })
		op := Op{Index: i, Row: row, Class: uint8(p.Class(i)), Ran: results.Ran(p.Op(i)), Line: p.Line(i, nil)}
		if p.Called(i) == "landlock_add_rule" {
			op.Rule = results.Word(program.Addr(p.Arg(i, 2)))
		}
		all = append(all, op)
	}
	f := os.NewFile(ListFD, "list")
	json.NewEncoder(f).Encode(all)
	f.Close()
}

// Unnumbered gives the calls of a program as they are printed, wherever they are in it: without their numbers and
// places in memory, and with the call itself where it is named by its number. A rule of Landlock has its rights, and
// the file that was opened last. The second of two calls that look the same is marked as such. What differs with the
// number of words that are closed stays apart by that number.
func Unnumbered(all []Op) []string {
	number, reference := regexp.MustCompile(`^[0-9]+ +`), regexp.MustCompile(`#[0-9]+`)
	place := regexp.MustCompile(`[&*][0-9a-f]+|, else go to [0-9]+`)
	words, opened := 0, ""
	for _, o := range all {
		if strings.Contains(o.Line, " close(*") {
			words++
		}
	}
	var names []string
	seen := map[string]int{}
	for _, o := range all {
		line := place.ReplaceAllStringFunc(number.ReplaceAllString(o.Line, ""), func(at string) string {
			return map[byte]string{'&': "&", '*': "*" + strconv.Itoa(words)}[at[0]]
		})
		name := reference.ReplaceAllStringFunc(line, func(ref string) string {
			i, err := strconv.Atoi(ref[1:])
			if err != nil || i >= len(names) {
				return ref
			}
			return "<" + names[i] + ">"
		})
		if o.Rule != 0 {
			name += fmt.Sprintf(" %x of %s", o.Rule, opened)
		}
		if strings.Contains(o.Line, " openat(") {
			opened = name
		}
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
