package noshim

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// sample is how many calls go by, with -short, for each that is taken away: each of a long run is.
const sample = 9

// Every call that changes what holds for the server is taken away, and every row with all of them, in a launch of its own
// that has no shim to begin anew. The launch must be refused. The positive control of each document is the launch whose
// calls are listed.
func TestEveryOpIsMissed(t *testing.T) {
	ordinary(t)
	for _, d := range documents {
		t.Run(d.Name, func(t *testing.T) {
			s := altered.Build(t, d.Below)
			applied, rows := 0, map[int][]altered.Op{}
			without := func(name string, ops ...altered.Op) {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					l := s.Launch(d.Text, "without-"+name)
					l.NoShim, l.Op, l.Line = true, ops[0].Index, ops[0].Line
					for _, op := range ops[1:] {
						l.Also = append(l.Also, op.Index)
					}
					s.Refused(t, l, "without-"+name)
				})
			}
			for _, op := range list(t, s, d.Text) {
				if program.Class(op.Class) != program.Apply || !op.Ran {
					continue
				}
				if op.Row >= 0 {
					rows[op.Row] = append(rows[op.Row], op)
				}
				if applied++; !testing.Short() || applied%sample == len(d.Name)%sample {
					without(strconv.Itoa(op.Index), op)
				}
			}
			for row, ops := range rows {
				if len(ops) > 1 && (!testing.Short() || row%sample == len(d.Name)%sample) {
					without("row-"+strconv.Itoa(row), ops...)
				}
			}
			if applied < 60 {
				t.Errorf("only %d calls apply anything", applied)
			}
		})
	}
}

// Each namespace is asked for by one flag of the parent's clone.
func TestEveryNamespaceIsMissed(t *testing.T) {
	ordinary(t)
	d := plain
	s := build(t, d.Below)
	var clone altered.Op
	for _, op := range list(t, s, d.Text) {
		if clone.Line == "" && strings.Contains(op.Line, " clone(0x") {
			clone = op
		}
	}
	for name, flag := range map[string]uint64{"user": unix.CLONE_NEWUSER, "mnt": unix.CLONE_NEWNS,
		"pid": unix.CLONE_NEWPID, "ipc": unix.CLONE_NEWIPC, "uts": unix.CLONE_NEWUTS, "net": unix.CLONE_NEWNET} {
		t.Run(name, func(t *testing.T) {
			l := s.Launch(d.Text, name)
			l.NoShim, l.Op, l.Line, l.Flags = true, clone.Index, clone.Line, flag
			s.Refused(t, l, name)
		})
	}
}

// list is the whole program of a launch that runs.
func list(t *testing.T, s altered.Stage, doc string) []altered.Op {
	t.Helper()
	l := s.Launch(doc, "list")
	l.NoShim, l.List = true, true
	o := altered.Run(t, l)
	_, err := os.Stat(s.Path("write/list"))
	if o.Code != 0 || o.Event() != "exited" || len(o.Report) != 2 || err != nil || len(o.List) < 100 {
		t.Fatalf("code %d, %v, %d calls, %s\n%s", o.Code, err, len(o.List), o.Event(), o.Stderr)
	}
	return o.List
}
