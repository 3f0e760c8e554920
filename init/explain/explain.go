// Package explain says in sentences which access a policy opens, with a verdict for each.
//
//	m := explain.Machine{Home: home}
//	e := m.Explain(p, policy.Run)        // the policy's paths are absolute
//	for _, l := range e.Lines {          // the most dangerous first
//		fmt.Println(l.Verdict, l.Pointer, l.Text)
//	}
//	fmt.Println(e.Verdict) // that of the worst line
//
// The package reads the policy's text, tables of its own and the fields of a [Machine], and does not look at the
// machine itself: cmd/internal/judge does, and judges for every command. A verdict is about the server's access, not
// about the server.
//
// A text holds names of the policy as they are written, shortened, and is to be escaped before it is printed. The value
// of a variable is in no text.
package explain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A Verdict says how much is opened. A higher one opens more.
type Verdict uint8

// The verdicts.
const (
	Safe      Verdict = iota // opens nothing, or takes something away
	Note                     // opens only access that many servers need
	Wide                     // opens more than most servers need, or something that strangers can use
	Dangerous                // opens secrets, or lets the server act outside of the sandbox
)

// Verdicts are all of them, the mildest first.
func Verdicts() []Verdict { return []Verdict{Safe, Note, Wide, Dangerous} }

// String is "safe", "note", "wide" or "dangerous".
func (v Verdict) String() string {
	switch v {
	case Safe:
		return "safe"
	case Note:
		return "note"
	case Wide:
		return "wide"
	}
	return "dangerous"
}

// Means is the verdict in words, which go on from "this".
func (v Verdict) Means() string {
	switch v {
	case Safe:
		return "opens nothing, or takes something away"
	case Note:
		return "opens what many servers need: see that it is meant"
	case Wide:
		return "opens more than most servers need, or something that strangers can use"
	}
	return "opens secrets, or lets the server act outside of the sandbox"
}

// MarshalText writes the word.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// A Line is one sentence without a subject, which is the server.
type Line struct {
	Verdict Verdict `json:"verdict"`
	Pointer string  `json:"pointer"` // RFC 6901: the entry of the policy, or where one would stand
	Default bool    `json:"default"` // the policy says nothing there
	Text    string  `json:"text"`
}

// String is the line as printed by commands that name the wide and dangerous entries.
func (l *Line) String() string { return l.Pointer + ": " + l.Verdict.String() + ": " + l.Text }

// place orders lines.
func (l *Line) place() int {
	place := 2 * int(Dangerous-l.Verdict)
	if l.Default {
		place++
	}
	return place
}

// An Explanation is the access that a policy opens.
type Explanation struct {
	Verdict Verdict `json:"verdict"` // the highest of the lines
	Lines   []Line  `json:"lines"`   // the highest first, those by default last, else in the order of a policy's keys
}

// A Machine is the knowledge for a verdict besides the policy. Of the zero one nothing is known.
type Machine struct {
	Home string   // the meaning of "~"
	Own  []string // this product's folders, absolute
	// Whose is the owner of a home that lasts, where that is not the policy itself, and whether the home is there; "":
	// no other owner.
	Whose func(state string) (whose string, there bool)
}

// Of explains a policy where only the home is known.
func Of(p policy.Policy, program policy.Program, home string) Explanation {
	m := Machine{Home: home}
	return m.Explain(p, program)
}

// Explain explains a valid policy with absolute paths, as program would launch it.
func (m *Machine) Explain(p policy.Policy, program policy.Program) Explanation {
	effective := p.Effective(program)
	t := &teller{given: &p, p: &effective, machine: m, home: strings.TrimSuffix(m.Home, "/"),
		rules: match.New(&effective.Network), opened: map[string][]uint16{}}
	for _, entry := range t.rules.Facts() {
		t.opened[entry.Text] = entry.Ports
	}
	t.paths = rulesOf(t)
	for _, s := range sentences {
		s.tell(t)
	}
	tellTogether(t)
	e := Explanation{Lines: t.lines}
	e.sort()
	return e
}

// sort has the highest lines first, and the verdict of the whole.
func (e *Explanation) sort() {
	slices.SortStableFunc(e.Lines, func(a, b Line) int { return a.place() - b.place() })
	for _, l := range e.Lines {
		e.Verdict = max(e.Verdict, l.Verdict)
	}
}

// Raise takes over the lines of the same policy, read in another way, with a higher verdict. more goes on their texts.
func (e *Explanation) Raise(other *Explanation, more string) {
	for _, l := range other.Warnings() {
		at := -1
		for i, have := range e.Lines {
			if have.Pointer == l.Pointer && have.Default == l.Default &&
				(at < 0 || have.Verdict > e.Lines[at].Verdict) {
				at = i
			}
		}
		switch l.Text += more; {
		case at < 0:
			e.Lines = append(e.Lines, l)
		case l.Verdict > e.Lines[at].Verdict:
			e.Lines[at] = l
		}
	}
	e.sort()
}

// Warnings are the wide and the dangerous lines.
func (e *Explanation) Warnings() []Line {
	return e.Lines[:e.Count(Wide)+e.Count(Dangerous)]
}

// Count is how many lines have a verdict.
func (e *Explanation) Count(v Verdict) (n int) {
	for i := range e.Lines {
		if e.Lines[i].Verdict == v {
			n++
		}
	}
	return n
}

// A teller gathers the lines of one policy.
type teller struct {
	given   *policy.Policy // as written
	p       *policy.Policy // with its defaults
	machine *Machine
	home    string // without a slash at the end; "" for / too
	rules   *match.Rules
	opened  map[string][]uint16 // the ports that the entries of a host open, without the denied ones
	paths   *pathRules
	seen    Verdict     // the highest of the files that it reads
	relays  [][2]string // the lines of their table
	lines   []Line
}

// say adds a line about an entry of the policy.
func (t *teller) say(v Verdict, pointer string, text ...string) {
	t.lines = append(t.lines, Line{v, pointer, false, strings.Join(text, "")})
}

// byDefault adds a line about a key, which the policy names or does not.
func (t *teller) byDefault(named bool, v Verdict, pointer string, text ...string) {
	t.say(v, pointer, text...)
	t.lines[len(t.lines)-1].Default = !named
}

// open reports whether nothing confines the server.
func (t *teller) open() bool { return t.p.Level == policy.Privileged }

// hostNetwork reports whether the server has the network of the machine.
func (t *teller) hostNetwork() bool { return t.open() || t.p.Level == policy.LevelNetwork }

// worst is the highest verdict of the lines at pointers that begin so.
func (t *teller) worst(pointers ...string) (v Verdict) {
	for _, l := range t.lines {
		if slices.ContainsFunc(pointers, func(p string) bool { return strings.HasPrefix(l.Pointer, p) }) {
			v = max(v, l.Verdict)
		}
	}
	return v
}

// tellTogether adds the line about access that two keys open only with each other.
func tellTogether(t *teller) {
	leaves, pointer := t.worst("/network/allowedDomains") >= Wide, "/network/allowedDomains"
	if t.p.Level == policy.LevelNetwork {
		leaves, pointer = true, "/level"
	}
	if leaves && t.seen >= Wide {
		t.say(Dangerous, pointer, "can give to strangers what it reads: look at the lines about files and hosts "+
			"together")
	}
}

// item is the pointer of an item of a list.
func item(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

// mostName is how many characters of a name stand in a text.
const mostName = 120

// short is a name as a text has it: of a long one the two ends.
func short(name string) string { return text.Short(name, mostName, text.Ends) }

// some is a list in a sentence, the first of it where it is long.
func some(names []string) string {
	const most = 3
	if len(names) > most+1 {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " others"
	}
	return strings.Join(names, ", ")
}
