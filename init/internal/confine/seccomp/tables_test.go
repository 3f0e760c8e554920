package seccomp

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A row is one line of testdata/amd64.txt or arm64.txt.
type row struct {
	number uint32
	name   string
	answer string // allow, EPERM, ENOSYS, or rule
}

// A sample is one line of testdata/args.txt.
type sample struct {
	options string
	name    string
	args    [6]uint64
	answer  string
}

// answers are the words of the tables as a filter returns them.
var answers = map[string]uint32{
	"allow":        0x7fff0000,
	"EPERM":        0x00050001,
	"ENOSYS":       0x00050026,
	"EAFNOSUPPORT": 0x00050061,
	"trace":        0x7ff00000,
	"done":         0x00050000,
	"notify":       0x7fc00000,
}

// words are the options of args.txt.
var words = map[string]func(*Options){
	"-":         func(*Options) {},
	"nounix":    func(o *Options) { o.NoUnix = true },
	"noinet":    func(o *Options) { o.NoInet = true },
	"nonetlink": func(o *Options) { o.NoNetlink = true },
	"noipc":     func(o *Options) { o.NoIPC = true },
	"nopeers":   func(o *Options) { o.NoPeers = true },
	"traced":    func(o *Options) { o.OneExec = true },
	"notify":    func(o *Options) { o.Notify = true },
}

func parseOptions(t testing.TB, s string) (o Options) {
	t.Helper()
	for _, w := range strings.Split(s, ",") {
		set, ok := words[w]
		if !ok {
			t.Fatalf("no option %q", w)
		}
		set(&o)
	}
	return o
}

// fields reads the lines of a file of testdata without comments.
func fields(t testing.TB, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for _, line := range strings.Split(string(text), "\n") {
		if f := strings.Fields(line); len(f) > 0 && !strings.HasPrefix(line, "#") {
			all = append(all, f)
		}
	}
	return all
}

func readRows(t testing.TB, arch string) []row {
	t.Helper()
	var rows []row
	for _, f := range fields(t, arch+".txt") {
		n, err := strconv.ParseUint(f[0], 10, 32)
		_, known := answers[f[2]]
		if err != nil || len(f) != 3 || !known && f[2] != "rule" {
			t.Fatalf("%s.txt: %v", arch, f)
		}
		rows = append(rows, row{uint32(n), f[1], f[2]})
	}
	return rows
}

func readSamples(t testing.TB) []sample {
	t.Helper()
	var samples []sample
	for _, f := range fields(t, "args.txt") {
		n := len(f)
		if n < 4 || f[n-2] != "=" {
			t.Fatalf("args.txt: %v", f)
		}
		s := sample{options: f[0], name: f[1], answer: f[n-1]}
		parseOptions(t, s.options)
		if _, ok := answers[s.answer]; !ok {
			t.Fatalf("args.txt: no answer %q", s.answer)
		}
		for i, a := range f[2 : n-2] {
			v, err := strconv.ParseUint(a, 16, 64)
			if err != nil {
				t.Fatalf("args.txt: %v: %v", f, err)
			}
			s.args[i] = v
		}
		samples = append(samples, s)
	}
	return samples
}

// A mismatch is the first place where a filter and the tables differ.
func mismatch(what string, d *data, got, want uint32) error {
	return fmt.Errorf("%s: number %d (%#x) arch %#x args %x: %#x, want %#x", what, d.number, d.number, d.arch, d.args, got, want)
}
