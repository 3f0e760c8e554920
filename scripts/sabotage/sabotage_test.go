package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The list of this repository is understood, and each block fits its file.
func TestList(t *testing.T) {
	text, err := os.ReadFile("../../" + listFile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := parse(string(text))
	if err != nil {
		t.Error(err)
	}
	gate := 0
	for _, b := range all {
		if _, err := b.change("../.."); err != nil {
			t.Errorf("%v: %v", b, err)
		}
		if b.word == "gate" {
			gate++
		}
	}
	if len(all) < 70 || gate < 15 || gate > 40 {
		t.Errorf("%d blocks, %d of them in the gate", len(all), gate)
	}
}

func TestParse(t *testing.T) {
	all, err := parse("# why\na/b.go TestB gate\n-\told\n-\n+\tnew\n\n# why\na/c.txt d/e.f.TestC\n-x\n")
	if err != nil || len(all) != 2 {
		t.Fatalf("%v %v", all, err)
	}
	b, c := all[0], all[1]
	if b.line != 2 || b.file != "a/b.go" || b.pkg != "a" || b.test != "TestB" || b.word != "gate" ||
		!slices.Equal(b.old, []string{"\told", ""}) || !slices.Equal(b.new, []string{"\tnew"}) {
		t.Errorf("%+v", b)
	}
	if c.line != 8 || c.pkg != "d/e.f" || c.test != "TestC" || c.word != "" || c.new != nil {
		t.Errorf("%+v", c)
	}
	for text, want := range map[string]string{
		"":                            "no blocks",
		"# nothing\n":                 "no blocks",
		"a.go\n-x\n":                  ":1: not FILE TEST",
		"a.go TestA gate root\n-x\n":  ":1: not FILE TEST",
		"a.go TestA later\n-x\n":      ":1: later is neither gate, root nor user",
		"a.go BenchmarkA\n-x\n":       ":1: BenchmarkA is no test",
		"../a.go TestA\n-x\n":         ":1: a path that is not below the top",
		"a.go /b.TestA\n-x\n":         ":1: a path that is not below the top",
		"a.go TestA\n":                ":1: no line with -",
		"a.go TestA\n+x\n":            ":2: neither lines with -",
		"a.go TestA\n-x\n+y\n-z\n":    ":4: neither lines with -",
		"a.go TestA\n-x\ny\n":         ":3: neither lines with -",
		"a.go TestA\n-x\n# why\n+y\n": ":3: a comment within a block",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A module in which each fault of TestOutcomes is one edit.
var module = map[string]string{
	"go.mod":      "module tiny\n\ngo 1.26\n",
	"word.txt":    "right\n",
	"a.go":        "package tiny\n\nimport _ \"embed\"\n\n//go:embed word.txt\nvar word string\n\nvar twice = 1\n\nvar (\n\tone = 1\n\ttwo = 2\n)\n",
	"cmd/main.go": "package main\n\nfunc main() {\n\tprintln(1)\n}\n",
	"a_test.go": `package tiny

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestOne(t *testing.T) {
	if word != "right\n" || one == 10 {
		t.Error(word, one)
	}
	switch one {
	case 20:
		t.Skip()
	case 30:
		panic("30")
	case 40:
		os.Exit(3)
	case 50:
		time.Sleep(time.Hour)
	}
}

func TestBuilds(t *testing.T) {
	out, err := exec.Command("go", "run", "./cmd").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Errorf("%s%v", out, err)
	}
}

func TestSkipped(t *testing.T) { t.Skip("not here") }

func TestRed(t *testing.T) { t.Error("always") }

// func TestTold(t *testing.T) is none.
`,
}

// sleeps is a fault that takes longer than a test may.
const sleeps = "+\tone = 50\n"

// tiny is a runner for the module, and what it printed of a list.
func tiny(t *testing.T, list string, isRoot bool) (string, error) {
	t.Helper()
	root := t.TempDir()
	for name, text := range module {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r := &runner{root: root, temp: t.TempDir(), golang: "go", bound: 2 * time.Minute}
	if strings.Contains(list, sleeps) {
		r.bound = 2 * time.Second
	}
	err = r.all(context.Background(), all, 1, isRoot, &out)
	return out.String(), err
}

// Each way in which a fault is noticed or not, all in one list, in which one that is not noticed does not hide the next
// and root's are named for others; and what is not run.
func TestOutcomes(t *testing.T) {
	type row struct{ name, list, want string }
	together := []row{
		{"unnoticed", "a.go TestOne\n-\ttwo = 2\n+\ttwo = 3\n", "did not notice"},
		{"noticed", "a.go TestOne gate\n-\tone = 1\n+\tone = 10\n", ""},
		{"noticed in a file that is embedded", "word.txt ..TestOne\n-right\n+wrong\n", ""},
		{"noticed in a program that a test builds", "cmd/main.go ..TestBuilds\n-\tprintln(1)\n+\tprintln(2)\n", ""},
		{"not compiled", "a.go TestOne\n-\tone = 1\n", "was not compiled\n\t# tiny [tiny.test]\n"},
		{"skipped by the fault", "a.go TestOne\n-\tone = 1\n+\tone = 20\n", "the test was skipped"},
		{"a panic", "a.go TestOne\n-\tone = 1\n+\tone = 30\n", "it crashed"},
		{"an early end", "a.go TestOne\n-\tone = 1\n+\tone = 40\n", "did not run to its end"},
		{"skipped before", "a.go TestSkipped\n-\tone = 1\n+\tone = 10\n", "the test was skipped"},
		{"red before", "a.go TestRed\n-\tone = 1\n+\tone = 10\n", "fails without a fault"},
	}
	list, line := "a.go TestOne root\n-\tone = 1\n+\tone = 10\n", 5
	for _, c := range together {
		list += "\n" + c.list
	}
	t.Run("together", func(t *testing.T) {
		t.Parallel()
		out, err := tiny(t, list, false)
		if !strings.HasPrefix(out, listFile+":1: a.go ..TestOne: not run, it takes root\n") ||
			!strings.HasSuffix(out, fmt.Sprintf("\n3 of %d noticed\n", len(together))) {
			t.Error(out)
		}
		for _, c := range together {
			_, told, found := strings.Cut("\n"+fmt.Sprint(err), "\n"+listFile+":"+strconv.Itoa(line)+": ")
			told, _, _ = strings.Cut(told, "\n"+listFile+":")
			if line += strings.Count(c.list, "\n") + 1; found != (c.want != "") || !strings.Contains(told, c.want) {
				t.Errorf("%s: %s", c.name, told)
			}
		}
	})
	for _, c := range []row{
		{"too long", "a.go TestOne\n-\tone = 1\n" + sleeps, "longer than it may"},
		{"old text twice", "a.go TestOne\n-\n", "is in the file 5 times"},
		{"no old text", "a.go TestOne\n-one = 1\n", "is in the file 0 times"},
		{"old text that is the new", "a.go TestOne\n-\tone = 1\n+\tone = 1\n", "the new text is the old one"},
		{"no file", "b.go TestOne\n-\tone = 1\n", "no such file"},
		{"no test", "a.go TestTold\n-\tone = 1\n", "there is no test TestTold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := tiny(t, c.list, true)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(out, "1 of 1") {
				t.Errorf("%s%v, want %s", out, err, c.want)
			}
		})
	}
}
