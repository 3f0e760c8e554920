package missed

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

var update = flag.Bool("update", false, "write the rows of testdata/removals.md anew, as this user sees them")

// A tableRow is a line of the golden order: what it is called, and the confinements that have it, a letter each.
type tableRow struct{ name, where string }

func tableRows(t *testing.T) (all []tableRow) {
	t.Helper()
	text, err := os.ReadFile("../../confine/layers/testdata/order.golden")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		all = append(all, tableRow{f[0] + " " + f[3], f[2]})
	}
	return all
}

// rowsOf are the names of the rows that a document's launch has, in the order of the table.
func rowsOf(t *testing.T, document string) (names []string) {
	letter := "f"
	if strings.HasPrefix(document, "reduced") {
		letter = "r"
	}
	if strings.HasPrefix(document, "limits") {
		letter = "l"
	}
	for _, r := range tableRows(t) {
		if strings.Contains(r.where, letter) {
			names = append(names, r.name)
		}
	}
	return names
}

// Every row is taken away as a whole, in a launch of its own: with all that it changes, and all that it looks at.
func TestEveryRowIsMissed(t *testing.T) {
	tried := map[string]bool{}
	for _, d := range altered.Documents {
		t.Run(d.Name, func(t *testing.T) {
			names := rowsOf(t, d.Name)
			s := build(t, d.Below)
			p := s.program(t, d)
			all, printed := p.ops, p.names
			for row, name := range names {
				var first *altered.Op
				var lines []string
				l := s.Launch(d.Text, "without-row-"+strconv.Itoa(row))
				for i := range all {
					if o := &all[i]; o.Row == row && program.Class(o.Class) == program.Apply && o.Ran {
						if first == nil {
							first = o
						}
						l.Also, lines = append(l.Also, o.Index), append(lines, printed[i])
					}
				}
				if first == nil || s.again(tried, d.Text, lines...) {
					continue // this policy or this machine asks nothing of it, or it only looks
				}
				l.Op, l.Line = first.Index, first.Line
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s.Refused(t, l, "without-row-"+strconv.Itoa(row))
				})
			}
		})
	}
}

// TestRemovalsAreListed: testdata/removals.md has every row of the table, with the calls whose removal the tests above miss.
func TestRemovalsAreListed(t *testing.T) {
	if abi, err := platform.LandlockABI(); err != nil || abi < 6 {
		testbed.Missing(t, "landlock6", "the list is of a kernel with Landlock ABI 6 or later")
	}
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "testdata/removals.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	who := "user"
	if os.Geteuid() == 0 {
		who = "root"
	}
	begin, end := "<!-- rows, as "+who+": go test -update in init/internal/test/missed -->\n", "<!-- end of rows, as "+who+" -->\n"
	head, rest, ok := strings.Cut(string(text), begin)
	got, tail, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatal("testdata/removals.md has no such list")
	}
	want := removals(t)
	if *update {
		if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("testdata/removals.md says, as %s,\n%s\nand the program has\n%s", who, got, want)
	}
}

// removals lists the applying calls of each row, over all documents.
func removals(t *testing.T) string {
	calls := map[string]map[string]bool{}
	for _, d := range altered.Documents {
		names := rowsOf(t, d.Name)
		for _, o := range build(t, d.Below).program(t, d).ops {
			if o.Row < 0 || program.Class(o.Class) != program.Apply || !o.Ran {
				continue
			}
			name := names[o.Row]
			if calls[name] == nil {
				calls[name] = map[string]bool{}
			}
			before, _, _ := strings.Cut(o.Line, "(")
			f := strings.Fields(before)
			calls[name][f[len(f)-1]] = true
		}
	}
	var b strings.Builder
	listed := map[string]bool{}
	for _, r := range tableRows(t) {
		if listed[r.name] { // one for each of several confinements
			continue
		}
		listed[r.name] = true
		list := strings.Join(slices.Sorted(maps.Keys(calls[r.name])), ", ")
		switch {
		case r.name == "cgroup openCgroup": // whether or not this machine gives groups
			list = "openat, and the clone into the group: TestServerBornElsewhereIsMissed, on kernels of `make test-kernels`"
		case list == "":
			list = "only looks, or is of a confinement that has no barrier"
		}
		fmt.Fprintf(&b, "- %s: %s\n", r.name, list)
	}
	return b.String()
}
