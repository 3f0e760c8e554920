package missed

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// An answer says of each kind of change how many there were and how many of them the comparison noticed. The names are those
// that the table of what is free knows.
type answer map[string]*tally

// A tally has an example of a change that was not noticed, if there is one.
type tally struct {
	Made, Noticed int
	Line          string
}

// changes makes the evidence of a launch wrong in one place at a time, and gathers what nobody notices.
type changes struct {
	*layers.Layout
	evidence *layers.Evidence
	good     []order.LayerReport
	rows     []string // their names, in the order of the table
	calls    []string // as call has them, which are the same for all changes
	tried    answer
}

// alterEvidence is what a shim does whose launch has Change: it tries every change, writes the list, and goes on unchanged.
func alterEvidence(l *launch, p *layers.Layout, e *layers.Evidence) {
	good, refusal := p.Check(e)
	if l.Whole {
		writeWhole(good, layers.CheckInit(p, e) != nil)
	}
	if refusal != nil || l.Change == nil {
		return
	}
	c := &changes{Layout: p, evidence: e, good: good, rows: l.Change, tried: answer{}}
	for i := range p.Len() {
		c.calls = append(c.calls, c.call(i))
	}
	for i := range p.Len() {
		if e.Ran(p.Op(i)) {
			c.result(i)
			c.answer(i)
		}
	}
	c.mounts()
	c.hostsTerminals()
	e.Server++
	c.try("the server's process id", "")
	e.Server--
	c.served()
	f := os.NewFile(altered.ListFD, "list")
	json.NewEncoder(f).Encode(c.tried)
	f.Close()
}

// served changes the account of the calls that the launcher answered.
func (c *changes) served() {
	s := &c.evidence.Served
	if was := *s; was.Calls != "" {
		s.Calls = "1 bind, " + was.Calls
		c.try("the calls that the launcher answered", "")
		s.Calls, s.Made = was.Calls, maps.Clone(was.Made)
		for inode := range s.Made {
			s.Made[inode]++
		}
		c.try("whose sockets the launcher made", "")
		s.Made, s.Failed = was.Made, unix.EPERM
		c.try("what the launcher could not read", "")
		*s = was
	}
}

// try compares the evidence as it is now. A change is noticed if it refuses the launch or takes a fact its Got.
func (c *changes) try(what, line string) {
	t := c.tried[what]
	if t == nil {
		t = new(tally)
		c.tried[what] = t
	}
	t.Made++
	if layers, refusal := c.Check(c.evidence); refusal != nil || found(layers) < found(c.good) {
		t.Noticed++
	} else {
		t.Line = line
	}
}

// found counts the facts that something was found for.
func found(layers []order.LayerReport) (n int) {
	for _, l := range layers {
		for _, f := range l.Facts {
			if f.Got != "" {
				n++
			}
		}
	}
	return n
}

// row is the name of the row whose call it is.
func (c *changes) row(i int) string {
	at := slices.IndexFunc(c.Spans, func(s [2]int) bool { return s[0] <= i && i < s[1] })
	if at < 0 {
		return "frame"
	}
	return c.rows[at]
}

// result changes what a call returned: to other errors, to success, to other numbers, to what it returned before the
// change that it is there to show, and to nothing.
func (c *changes) result(i int) {
	o, name := c.Op(i), c.name(i)
	was := uint64(c.evidence.Value(o))
	others := []uint64{0, was + 1, was ^ 1<<32, program.Unset}
	for _, errno := range []uint64{1, 2, 38} { // EPERM ENOENT ENOSYS
		others = append(others, -errno)
	}
	for j := range c.Len() {
		if j != i && c.calls[j] == c.calls[i] && c.evidence.Ran(c.Op(j)) {
			others = append(others, uint64(c.evidence.Value(c.Op(j))))
		}
	}
	slices.Sort(others)
	for _, v := range slices.Compact(others) {
		if c.evidence.Store(o, v); v == was || c.Class(i) == program.Control && v == program.Unset {
			continue // the last is a call that claims nothing
		}
		c.try(name+" returns "+kindOf(v, was), c.Line(i, c.evidence.Results))
	}
	c.evidence.Store(o, was)
}

// call is a call with its arguments: those of two that do the same are equal, but for what they store.
func (c *changes) call(i int) string {
	_, line, _ := strings.Cut(c.Line(i, nil), "(")
	line, _, _ = strings.Cut(line, "&")
	return c.Called(i) + line
}

// name is the name of a call in the table of what is free: whose it is, what it does, and what it looks at.
func (c *changes) name(i int) string {
	what := c.row(i) + " "
	switch c.Class(i) {
	case program.Control:
		what = "step "
	case program.Apply:
		what = "applies "
	}
	what += c.Called(i)
	if c.Called(i) == "statx" {
		what += " of " + c.seen(i)
	}
	return what
}

// TestEveryChangeIsNoticed takes what one launch of each kind brought back, changes one value of it at a time, and has it
// compared: each result, each field that the kernel writes, each mount. What nobody notices stands in the table of what is
// free, and what is noticed does not. So a comparison that is taken away fails here, as does one that is added.
func TestEveryChangeIsNoticed(t *testing.T) {
	all := answer{}
	var lock sync.Mutex
	t.Run("launches", func(t *testing.T) {
		for _, d := range append(altered.Documents, limitsDocuments...) {
			if testing.Short() && !slices.Contains(inShort, d.Name) {
				continue
			}
			t.Run(d.Name, func(t *testing.T) {
				t.Parallel()
				s := build(t, d.Below)
				l := s.Launch(d.Text, "mark")
				l.Change = rowsOf(t, d.Name)
				_, socket := testbed.Pair(t, unix.SOCK_STREAM)
				l.Prepare = func(cmd *exec.Cmd) {
					if !l.TTY {
						cmd.Stdin = socket
					}
				}
				o := altered.Run(t, l)
				var tried answer
				if err := json.Unmarshal(o.Tried, &tried); err != nil || o.Code != 0 || len(tried) < 100 {
					t.Fatalf("code %d, %d kinds of change, %v\n%s", o.Code, len(tried), err, o.Stderr)
				}
				lock.Lock()
				defer lock.Unlock()
				all.add(t, tried)
			})
		}
	})
	if testing.Short() {
		return // what is free in part may be noticed in documents that were left out
	}
	for _, f := range free {
		for what, n := range all {
			if f.what().MatchString(what) && f.kind != either && (f.kind == inPart) != (n.Noticed > 0) {
				t.Errorf("%d of %d changes are noticed of %s, free by %s", n.Noticed, n.Made, what, f.what())
			}
		}
	}
}

// add tells what is not noticed and not free.
func (a answer) add(t *testing.T, launch answer) {
	made := 0
	for what, n := range launch {
		made += n.Made
		if n.Noticed < n.Made && !slices.ContainsFunc(free, func(f freedom) bool { return f.what().MatchString(what) }) {
			t.Errorf("not noticed, %d of %d: %s\n%s", n.Made-n.Noticed, n.Made, what, n.Line)
		}
		if a[what] == nil {
			a[what] = new(tally)
		}
		a[what].Made += n.Made
		a[what].Noticed += n.Noticed
	}
	t.Log(made, "changes")
}

// inShort are the documents, one of each confinement and the one with most rows, whose changes are tried with -short: all of them
// take more than a minute.
var inShort = []string{"standard", "terminal", "reduced", "reduced-domains", "limits"}

// limitsDocuments are the confinements below reduced.
var limitsDocuments = []altered.Document{
	{Name: "limits", Text: altered.Weaker(altered.Standard, "limits")}, {Name: "limits-one-exec", Text: altered.Weaker(altered.OnExec, "limits")},
}
