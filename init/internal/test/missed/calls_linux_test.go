package missed

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// The positive control of every test that alters something: unaltered, the same launch runs its server.
func TestUnalteredLaunchRuns(t *testing.T) {
	for _, d := range altered.Documents {
		t.Run(d.Name, func(t *testing.T) {
			s := build(t, d.Below)
			o := altered.Run(t, s.Launch(d.Text, "mark"))
			_, err := os.Stat(s.Path("write/mark"))
			if o.Code != 0 || o.Event() != "exited" || len(o.Report) != 2 || err != nil || o.Stdout != "ran\n" {
				t.Fatalf("code %d, %q, %v, %v\n%s", o.Code, o.Stdout, err, o.Report, o.Stderr)
			}
		})
	}
}

// Every call that changes what holds for the server is replaced by one that does nothing, each in a launch of its own:
// the evidence has to miss it, or it proves nothing. With -short a call that an earlier document has letter for letter, in the
// same confinement, is not tried again.
func TestEveryOpIsMissed(t *testing.T) {
	tried, many := map[string]bool{}, map[string]int{}
	for _, d := range altered.Documents {
		t.Run(d.Name, func(t *testing.T) {
			s := build(t, d.Below)
			applied := 0
			p := s.program(t, d)
			for i, op := range p.ops {
				if program.Class(op.Class) != program.Apply || !op.Ran {
					continue
				}
				applied++
				if s.again(tried, d.Text, p.names[i]) || s.oneOfMany(many, d.Text, p.names[i]) {
					continue
				}
				t.Run(strconv.Itoa(op.Index), func(t *testing.T) {
					t.Parallel()
					mark := "without-" + strconv.Itoa(op.Index)
					l := s.Launch(d.Text, mark)
					l.Op, l.Line = op.Index, op.Line
					s.Refused(t, l, mark)
				})
			}
			if applied < 80 && altered.Begin(d.Text) == "" || applied < 40 {
				t.Errorf("only %d calls apply anything", applied)
			}
		})
	}
}

// alike are calls of one loop of the product: for each capability, and for each file that /dev and /etc always have.
var alike = regexp.MustCompile(`"/?(dev|etc)/[^"]*"|prctl\(24, [0-9]+`)

// oneOfMany reports, with -short, whether two calls of the same loop were tried before in the same confinement. Their
// results are each compared, which TestEveryChangeIsNoticed shows.
func (s stage) oneOfMany(tried map[string]int, doc, call string) bool {
	if !alike.MatchString(call) {
		return false
	}
	key := altered.Begin(doc) + " " + alike.ReplaceAllString(strings.TrimRight(call, "'"), "~$1")
	tried[key]++
	return testing.Short() && tried[key] > 2
}

type listed struct {
	ops   []altered.Op
	names []string // see [altered.Unnumbered]; paths in the stage are named alike in each
}

// programs are those of the documents; no two tests list at once.
var programs = map[string]listed{}

func (s stage) program(t *testing.T, d altered.Document) listed {
	t.Helper()
	p, ok := programs[d.Name]
	if !ok {
		p.ops = s.List(t, d.Text)
		stage := strings.NewReplacer(`"`+s.Dir[1:], `"`+filepath.Dir(s.Dir)[1:]+"/STAGE", s.Dir, "STAGE")
		for _, n := range altered.Unnumbered(p.ops) {
			p.names = append(p.names, stage.Replace(n))
		}
		programs[d.Name] = p
	}
	return p
}

// again reports, with -short, whether the same calls were tried before in the same confinement.
func (s stage) again(tried map[string]bool, doc string, calls ...string) bool {
	key := altered.Begin(doc) + " " + strings.Join(calls, "\n")
	before := tried[key]
	tried[key] = true
	return before && testing.Short()
}

// Each namespace is asked for by one flag of one call: without the flag the launch is refused. With -short as
// [TestEveryOpIsMissed].
func TestEveryNamespaceIsMissed(t *testing.T) {
	const clone = 1 // the first call of every program gives the runner its name
	flags := []struct {
		name string
		bit  uint64
	}{
		{"user", unix.CLONE_NEWUSER}, {"mnt", unix.CLONE_NEWNS}, {"pid", unix.CLONE_NEWPID},
		{"ipc", unix.CLONE_NEWIPC}, {"uts", unix.CLONE_NEWUTS}, {"net", unix.CLONE_NEWNET},
	}
	tried := map[string]bool{}
	for _, d := range altered.Documents {
		if altered.Begin(d.Text) != "" {
			continue
		}
		s := build(t, d.Below)
		p := s.program(t, d)
		first := p.ops[clone]
		if !strings.Contains(first.Line, "clone(") {
			t.Fatalf("%s: not a clone: %s", d.Name, first.Line)
		}
		for _, f := range flags {
			if d.Name == "network" && f.name == "net" {
				continue // the host's is what was asked for
			}
			if s.again(tried, d.Text, p.names[clone], f.name) {
				continue
			}
			t.Run(d.Name+"/"+f.name, func(t *testing.T) {
				l := s.Launch(d.Text, f.name)
				l.Op, l.Line, l.Flags = clone, first.Line, f.bit
				s.Refused(t, l, f.name)
			})
		}
	}
}
