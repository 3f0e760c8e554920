package seccomp

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// strictest are options under which together every rule says something else than "allow".
var strictest = []string{"-", "traced", "nounix,noinet,nonetlink,noipc,nopeers"}

// TestEveryRuleIsMissed lets the calls of a rule pass, or one call that is refused by its name: the tables have to
// notice under each option that makes a difference. testdata/removals.md has what it found.
func TestEveryRuleIsMissed(t *testing.T) {
	samples := readSamples(t)
	noticed := map[string]map[string]bool{} // by what was taken away: who noticed
	var order []string
	for _, arch := range []string{"amd64", "arm64"} {
		rows := readRows(t, arch)
		tables := map[string]string{"amd64": amd64Rules, "arm64": arm64Rules}
		var rules [limit]byte
		fill(&rules, tables[arch])
		for _, r := range rows {
			letter := rules[r.number]
			if letter == ruleAllow || r.name == "arch_specific_syscall" {
				continue
			}
			what := r.name
			if !slices.Contains(order, what) {
				order = append(order, what)
				noticed[what] = map[string]bool{}
			}
			differs := false
			for _, options := range strictest {
				o := parseOptions(t, options)
				base, without := removed(t, arch, rules, o, -1), removed(t, arch, rules, o, int(r.number))
				if slices.Equal(base, without) {
					continue // under these options the rule allows
				}
				differs = true
				run := func(d *data) uint32 { result, _ := execute(without, d); return result }
				who := ""
				switch {
				case numbers(arch, rows, run) != nil:
					who = "numbers"
				case arguments(arch, rows, samples, options, run) != nil:
					who = "samples"
				case follow(arch, rows, &o, nil, run) != nil:
					who = "oracle"
				default:
					t.Errorf("%s %s: %s allowed went unnoticed", arch, options, r.name)
				}
				noticed[what][who] = true
			}
			if !differs {
				t.Errorf("%s: the rule of %s changes nothing under any option", arch, r.name)
			}
		}
	}
	slices.Sort(order)
	by := map[string][]string{}
	for _, what := range order {
		var who []string
		for _, w := range []string{"numbers", "samples", "oracle"} {
			if noticed[what][w] {
				who = append(who, w)
			}
		}
		key := strings.Join(who, ", ")
		by[key] = append(by[key], what)
	}
	var b strings.Builder
	for _, key := range []string{"numbers", "samples", "oracle", "samples, oracle", "numbers, samples", "numbers, oracle", "numbers, samples, oracle", ""} {
		if len(by[key]) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", key, strings.Join(by[key], " "))
		}
	}
	listed(t, b.String())
}

// removed is a program in which one number passes.
func removed(t *testing.T, arch string, rules [limit]byte, o Options, number int) []Instruction {
	t.Helper()
	if number >= 0 {
		rules[number] = ruleAllow
	}
	a := assembler{pos: capacity}
	a.blocks(&rules, &o)
	a.dispatch(&rules, audits[arch])
	if a.overflow {
		t.Fatal("does not fit")
	}
	return slices.Clone(a.code[a.pos:])
}

// listed compares with what testdata/removals.md has between the marks, or writes it there.
func listed(t *testing.T, want string) {
	t.Helper()
	const file = "../../../../testdata/removals.md"
	const begin, end = "<!-- rules: go test -update in init/internal/confine/seccomp -->\n", "<!-- end of rules -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	got, tail, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatal("testdata/removals.md has no such list")
	}
	if *update {
		if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("testdata/removals.md says\n%s\nand was found\n%s", got, want)
	}
}
