package escape_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// A row is one act of the adversary. Words are separated by blanks; what stands for a host's object is in
// stage_linux_test.go.
type row struct {
	name, act string
	in        string // the errnos that may come back inside, or "-" for a refusal that is not the kernel's; empty: see never
	never     string // what its result must not hold inside, and the control's does
	control   string // where another object has to be named outside, or something made first; empty: act
	out       string // the errnos, beyond "ok", that show outside that the act got past where it is refused inside
	weak      string // "ERRNO: why": what a machine without the thing says outside, and what then stands for a control
	right     bool   // the control needs capabilities: it has them in a namespace of its own
	root      bool   // only a root can stage or control it
	not       string // levels where the act is no escape, for the level grants it
	abi       int    // Landlock refuses it, from this version on; see gap
	gap       string // why full lets it through: below abi, or at all
	open      string // why reduced lets it through
}

// A group is a chapter of the table.
type group struct {
	name string
	rows []row
}

// table is every row. testdata/escape.md carries it.
func table() []group {
	all := []group{
		{"namespaces", spaces()}, {"mounts", mounts()}, {"processes", processes()}, {"signals", signals()},
		{"files", files()}, {"attributes", attributes()}, {"paths", ancestors()}, {"packages", packages()}, {"links", links()}, {"devices", devices()},
		{"sockets", sockets()}, {"shared memory", shared()}, {"kernel", kernel()},
	}
	abi, _ := platform.LandlockABI() // none: 0, and then there is no reduced
	for _, g := range all {
		for i := range g.rows {
			g.rows[i].open = reason(g.rows[i].name, abi)
		}
	}
	return all
}

// rowsOf are the rows that a level does not grant, as far as this user can stage them. Of reduced they are those that
// are no gaps.
func rowsOf(l level) (all []row) {
	for _, g := range table() {
		if g.name == "packages" && !hasPackage(l) {
			continue
		}
		for _, r := range g.rows {
			if (!r.root || root()) && !slices.Contains(strings.Fields(r.not), l.name) && (!l.reduced || r.open == "") {
				all = append(all, r)
			}
		}
	}
	return all
}

// TestEscape tries every row inside, in one launch for each level.
func TestEscape(t *testing.T) {
	for _, l := range levels() {
		t.Run(l.name, func(t *testing.T) { escape(t, l) })
	}
}

// TestEscapeReduced tries them where the machine gives no namespaces.
func TestEscapeReduced(t *testing.T) {
	needLandlock(t)
	for _, l := range levels() {
		t.Run(l.name, func(t *testing.T) { escape(t, l.weaker()) })
	}
}

// TestGapsOfReduced tries each gap in a launch of its own, for it may undo the scene: what is refused is no gap any
// more.
func TestGapsOfReduced(t *testing.T) {
	if root() {
		t.Skip("what lies open to a user's server need not be open to root's, which is another user")
	}
	needLandlock(t)
	program := testbed.Self(t, adversaryName)
	for _, g := range table() {
		for _, r := range g.rows {
			if r.open == "" || r.root || strings.Contains(r.not, "standard") {
				continue
			}
			t.Run(r.name, func(t *testing.T) {
				s := stage(t)
				out, errs, _ := launch(t, s, standard().weaker(), append([]string{program}, strings.Fields(s.put(r.act))...)...)
				all := results(t, out)
				if len(all) != 1 {
					t.Fatalf("%s%s", out, errs)
				}
				if in := all[0]; !in.OK && !slices.Contains(strings.Fields(r.out), in.Errno) { // a file system has no flags, say
					t.Errorf("inside: %+v: no longer a gap", in)
				}
			})
		}
	}
}

func escape(t *testing.T, l level) {
	s := stage(t)
	s.started = true
	all := rowsOf(l)
	program := testbed.Self(t, adversaryName)
	command := []string{program}
	for _, r := range all {
		command = append(append(command, "--"), strings.Fields(s.put(r.act))...)
	}
	stdout, stderr, code := launch(t, s, l, command...)
	inside := results(t, stdout)
	if code != 0 || len(inside) != len(all) {
		t.Fatalf("%d results of %d, code %d\n%s\n%s", len(inside), len(all), code, stdout, stderr)
	}
	for i := range all {
		t.Run(all[i].name, func(t *testing.T) { all[i].refused(t, l, s.put(all[i].never), inside[i]) })
	}
}

// TestControls tries every row outside, where nothing forbids it.
func TestControls(t *testing.T) {
	s := stage(t)
	program := testbed.Self(t, adversaryName)
	for _, g := range table() {
		for _, r := range g.rows {
			if !r.root || root() {
				t.Run(r.name, func(t *testing.T) { r.controlled(t, s, program) })
			}
		}
	}
}

func (r *row) refused(t *testing.T, l level, never string, in attempt.Result) {
	if r.gap != "" && landlockABI(t) < r.abi || r.gap != "" && r.abi == 0 {
		if !in.OK && l.name == "standard" && !l.reduced {
			t.Errorf("inside: %+v: no longer a gap", in)
		}
		return
	}
	none, _, _ := strings.Cut(r.weak, ": ") // what the machine has not got nobody has
	want := strings.Fields(r.in + " " + l.also + " " + none)
	switch {
	case r.in == "-":
		if in.OK || in.Errno != "" {
			t.Errorf("inside: %+v, want a refusal", in)
		}
	case r.in != "" && (in.OK || !slices.Contains(want, in.Errno)):
		t.Errorf("inside: %+v, want %s", in, r.in)
	}
	if never != "" && strings.Contains(in.Detail, never) {
		t.Errorf("inside: %+v", in)
	}
}

func (r *row) controlled(t *testing.T, s *scene, program string) {
	words := r.control
	if words == "" {
		words = r.act
	}
	out := s.outside(t, program, r.right, s.put(words))
	if none, why, _ := strings.Cut(r.weak, ": "); r.weak != "" && out.Errno == none {
		testbed.Missing(t, "controls", "no control on this machine: "+why)
	}
	if !out.OK && !slices.Contains(strings.Fields(r.out), out.Errno) {
		t.Errorf("outside it does not go through either: %+v", out)
	}
	if never := s.put(r.never); !strings.Contains(out.Detail, never) {
		t.Errorf("outside: %+v, want %q in it", out, never)
	}
}

func TestRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range table() {
		for _, r := range g.rows {
			if seen[r.name] || r.name == "" || r.in == "" && r.never == "" || strings.ContainsAny(r.name, ";|") {
				t.Errorf("%+v: a name twice, or nothing that it demands", r)
			}
			seen[r.name] = true
			for _, word := range strings.Fields(r.not) {
				if !slices.ContainsFunc(levels(), func(l level) bool { return l.name == word }) {
					t.Errorf("%s: no level %q", r.name, word)
				}
			}
		}
	}
	for _, h := range holes() {
		for _, n := range h.names {
			one, found := hole{names: []string{n}}, false
			for name := range seen {
				found = found || one.holds(name)
			}
			if !found {
				t.Errorf("a hole names %q, which is no row", n)
			}
		}
	}
}
