package program

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
)

var update = flag.Bool("update", false, "write the golden listings anew")

// listing is a program as `plan` prints it, and what came back if r is given.
func listing(p *Program, r *Results) string {
	var b strings.Builder
	for i := range p.Len() {
		b.WriteString(p.Line(i, r))
		b.WriteByte('\n')
	}
	return b.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	name := "testdata/" + file
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s differs: run go test -update and look at the difference. Now it is\n%s", name, got)
	}
}

// TestLine pins every kind of argument, demand and result. No system has a call of these numbers, so that the listing is
// the same everywhere.
func TestLine(t *testing.T) {
	const nr = 100000
	var there, back Label
	p := New(small())
	p.Layer("namespaces")
	none := p.Do(Sys(nr))
	cell := p.Data(Raw(5))
	p.Bind(&back)
	p.Do(Sys(nr+1, Int(0), Int(-100), Int(4095), Int(4096), Int(-4095), Int(-4096)))
	p.Layer("root")
	fork := p.Ask(Sys(nr, Str("/usr"), Str("with \"quotes\"\n\x1b[2J\xff"), Str(""))).Fork()
	p.Ask(Sys(nr, Bytes(make([]byte, 12)), Words(1, 1<<40, ^uint64(0)), Words(make([]uint64, 20)...), Bytes(nil))).Returns(Int(3))
	p.Observe(Sys(nr, Ref(cell), none.Result(), Word(none.At()), Word(cell), Ref(0))).Else(&there)
	p.Step(Sys(nr)).Returns(fork.Result()).Else(&back)
	p.BranchUnless(Int(5), &there)
	p.BranchUnless(none.Result(), &back)
	p.BranchUnlessOK(&back)
	p.Jump(&there)
	p.Bind(&there)
	p.Load(Word(cell))
	p.Negate(none.Result())
	into := p.Call(Sys(nr)).StoreAt(cell.Plus(4))
	p.Disarm(0)
	golden(t, "line.golden", strings.ReplaceAll(listing(p.Program, nil), seccomp.Name(nothing), "NOTHING"))

	p.ran(none, 0)
	p.ran(fork, 4711)
	p.ran(into, -13)
	golden(t, "line-results.golden", strings.ReplaceAll(listing(p.Program, p.Copy()), seccomp.Name(nothing), "NOTHING"))
}
