package runtimes

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// A program is of one row, and an ending of a file's name too.
func TestTable(t *testing.T) {
	row, ending := map[string]string{}, map[string]string{}
	for i := range table {
		r := &table[i]
		for name := range strings.FieldsSeq(r.interprets + " " + r.starts) {
			if other, ok := row[name]; ok && other != r.Name {
				t.Errorf("%s is of %s and of %s", name, other, r.Name)
			}
			row[name] = r.Name
			if names(r.interprets, name) != Interprets(name) || names(r.starts, name) != Starts(name) || Hosts(name) != r.hosts {
				t.Errorf("%s is found in another row than that of %s", name, r.Name)
			}
		}
		for name := range strings.FieldsSeq(r.files) {
			if ending[name] != "" || Starter("x"+name) != r.by || !Interprets(strings.Fields(r.by)[0]) {
				t.Errorf("%s: %s, by %s", r.Name, name, r.by)
			}
			ending[name] = r.Name
		}
	}
	if Hosts("server") != "" || Starter("server.go") != "" || Starter("js") != "" {
		t.Error("a program, or a file, that the table does not have")
	}
}

// The table is laid out by the compiler: the package runs nothing at start.
func TestNothingIsMadeAtStart(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-S", ".").CombinedOutput()
	if err != nil || !regexp.MustCompile(`(?m)^\S*/init/runtimes\.table SDATA `).Match(out) {
		t.Fatalf("go build: %v, and no table of the compiler's in\n%s", err, out)
	}
	for _, size := range regexp.MustCompile(`(?m)^\S*/init/runtimes\.init STEXT .*\bsize=(\d+)`).FindAllSubmatch(out, -1) {
		if n := string(size[1]); n != "1" && n != "16" { // a return alone
			t.Errorf("the package has a function of %s bytes that runs at start", n)
		}
	}
}
