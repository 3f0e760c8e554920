package seccomp

import (
	"strings"
	"testing"
)

// vectors are arguments for calls whose answer must not depend on any.
var vectors = [][6]uint64{
	{},
	{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)},
	{1, 2, 3, 4, 5, 6},
	{35, 8, 0x800, 0x800, 1, 1},
	{4, 4, 1, 0, 4, 0},        // what setrlimit, prlimit64 and renameat2 are not made with
	{255, 0, 0, 0, 0x1000, 0}, // the one that execveat may be permitted with
	{0x10000000, 0x5412, 0x8000, 0x541c, 0x1000, 0},
	{1 << 32, 1<<32 | 0x5412, 1 << 63, 1 << 31, 0x7e020000, 0xfff},
}

// foreign are architectures the filter was not made for; the other of the two is added.
var foreign = []uint32{0, 0x40000003, 0x40000028, 0xc00000f3, 0x3e, 0xb7, 0x4000003e, 0x8000003e, 0xffffffff}

// A filterUnderTest answers for one record.
type filterUnderTest func(*data) uint32

// numbers compares one filter with the rows over every number, those of foreign architectures too.
func numbers(arch string, rows []row, run filterUnderTest) error {
	if err := ownNumbers(arch, rows, run); err != nil {
		return err
	}
	return foreignNumbers(arch, run)
}

// ownNumbers compares one filter with the rows, and with nothing but ENOSYS beyond them.
func ownNumbers(arch string, rows []row, run filterUnderTest) error {
	byNumber := map[uint32]string{}
	for _, r := range rows {
		byNumber[r.number] = r.answer
	}
	var d data
	for n := uint32(0); n < 1024; n++ {
		answer, ok := byNumber[n]
		if !ok {
			answer = "ENOSYS"
		}
		for i, v := range vectors {
			d = data{arch: audits[arch], number: n, args: v}
			if answer != "rule" {
				if got := run(&d); got != answers[answer] {
					return mismatch("number", &d, got, answers[answer])
				}
			}
			if i > 1 {
				continue
			}
			for _, high := range []uint32{0x40000000, 0x20000000, 0x80000000, 0xfffffc00, 0x00010000, 0x00000400} {
				d.number = n | high // x32 is the first
				if got := run(&d); got != answers["ENOSYS"] {
					return mismatch("high number", &d, got, answers["ENOSYS"])
				}
			}
		}
	}
	return nil
}

// foreignNumbers demands the end of the process for every number of another architecture.
func foreignNumbers(arch string, run filterUnderTest) error {
	var d data
	others := foreign
	for a, audit := range audits {
		if a != arch {
			others = append(others[:len(others):len(others)], audit)
		}
	}
	for _, audit := range others {
		for n := uint32(0); n < 1024; n++ {
			for _, x32 := range []uint32{0, 0x40000000} {
				d = data{arch: audit, number: n | x32}
				if got := run(&d); got != 0x80000000 {
					return mismatch("foreign", &d, got, 0x80000000)
				}
			}
		}
	}
	return nil
}

// arguments compares one filter with the samples made for its options.
func arguments(arch string, rows []row, samples []sample, options string, run filterUnderTest) error {
	numbers := map[string]uint32{}
	for _, r := range rows {
		numbers[r.name] = r.number
	}
	for _, s := range samples {
		number, ok := numbers[s.name]
		if s.options != options || !ok {
			continue
		}
		for i := -1; i < len(s.args); i++ {
			d := data{arch: audits[arch], number: number, args: s.args}
			if i == 2 && s.name == "prlimit64" && d.args[i] == 0 {
				continue // a pointer, which the kernel takes whole: the samples have one of this kind
			}
			if i >= 0 {
				d.args[i] |= 0xffffffff << 32
			}
			if got := run(&d); got != answers[s.answer] {
				return mismatch(s.options+" "+s.name, &d, got, answers[s.answer])
			}
		}
	}
	return nil
}

// optionsOf returns every options column, each once.
func optionsOf(samples []sample) []string {
	var all []string
	seen := map[string]bool{}
	for _, s := range samples {
		if !seen[s.options] {
			seen[s.options] = true
			all = append(all, s.options)
		}
	}
	return all
}

// TestExact runs the filter over every number and every sample, in two interpreters, with a listener and without.
func TestExact(t *testing.T) {
	samples := readSamples(t)
	for _, notify := range []string{"", ",notify"} {
		samples := reported(t, samples, notify != "")
		for _, arch := range []string{"amd64", "arm64"} {
			rows := reportedRows(t, readRows(t, arch), notify != "")
			for _, options := range optionsOf(samples) {
				t.Run(arch+"/"+options+notify, func(t *testing.T) {
					o := parseOptions(t, options+notify)
					program := mustProgram(t, arch, o)
					vm := newReference(t, program)
					for name, run := range map[string]filterUnderTest{
						"own":       func(d *data) uint32 { r, _ := execute(program, d); return r },
						"x/net/bpf": func(d *data) uint32 { return vm.run(t, d) },
					} {
						if err := numbers(arch, rows, run); err != nil {
							t.Errorf("%s: %v", name, err)
						}
						if err := arguments(arch, rows, samples, options, run); err != nil {
							t.Errorf("%s: %v", name, err)
						}
						if err := follow(arch, rows, &o, readReported(t), run); err != nil {
							t.Errorf("%s: %v", name, err)
						}
					}
				})
			}
		}
	}
}

// TestRulesSampled demands for each call with a rule a sample that passes and one that does not, and that each
// sample's call exists.
func TestRulesSampled(t *testing.T) {
	seen := map[string]map[bool]bool{}
	for _, s := range readSamples(t) {
		if seen[s.name] == nil {
			seen[s.name] = map[bool]bool{}
		}
		seen[s.name][s.answer == "allow"] = true
	}
	exists := map[string]bool{}
	for _, arch := range []string{"amd64", "arm64"} {
		for _, r := range readRows(t, arch) {
			exists[r.name] = true
			if (oracles[r.name] != nil) != (r.answer == "rule") {
				t.Errorf("%s %s: %s, and an oracle: %v", arch, r.name, r.answer, oracles[r.name] != nil)
			}
			if r.answer == "rule" && (!seen[r.name][true] || !seen[r.name][false]) {
				t.Errorf("%s %s: args.txt needs an allowed and a refused sample", arch, r.name)
			}
		}
	}
	for name := range seen {
		if !exists[name] {
			t.Errorf("args.txt: no call %s", name)
		}
	}
}

// TestNamesAgree compares the name table with the rows' numbers, which come from elsewhere.
func TestNamesAgree(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		had := map[string]bool{}
		for _, r := range readRows(t, arch) {
			had[r.name] = true
			if n, ok := lookup(arch, r.name); r.name != "arch_specific_syscall" && (!ok || n != r.number) {
				t.Errorf("%s %s: the names say %d, %v, the table %d", arch, r.name, n, ok, r.number)
			}
		}
		for _, line := range strings.Split(strings.Trim(names, "\n"), "\n") {
			name, _, _ := strings.Cut(line, " ")
			if n, _ := lookup(arch, name); n != NoNumber && !had[name] {
				t.Errorf("%s %s: %d in the names, not in the table", arch, name, n)
			}
		}
	}
}
