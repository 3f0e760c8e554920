package seccomp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMutatedTable changes each row and each sample, one at a time: the comparison has to notice every one.
func TestMutatedTable(t *testing.T) {
	samples := readSamples(t)
	for _, arch := range []string{"amd64", "arm64"} {
		rows := readRows(t, arch)
		program := mustProgram(t, arch, Options{})
		run := func(d *data) uint32 { r, _ := execute(program, d); return r }
		for i, r := range rows {
			for answer := range answers {
				if answer == r.answer || r.answer == "rule" {
					continue
				}
				mutated := slices.Clone(rows)
				mutated[i].answer = answer
				if numbers(arch, mutated, run) == nil {
					t.Errorf("%s: %s as %s went unnoticed", arch, r.name, answer)
				}
			}
			if r.answer != "ENOSYS" && r.answer != "rule" {
				if numbers(arch, slices.Delete(slices.Clone(rows), i, i+1), run) == nil {
					t.Errorf("%s: no row for %s went unnoticed", arch, r.name)
				}
			}
		}
		for i, s := range samples {
			if !slices.ContainsFunc(rows, func(r row) bool { return r.name == s.name }) {
				continue
			}
			program := mustProgram(t, arch, parseOptions(t, s.options))
			run := func(d *data) uint32 { r, _ := execute(program, d); return r }
			for answer := range answers {
				mutated := slices.Clone(samples[i : i+1])
				mutated[0].answer = answer
				if answer != s.answer && arguments(arch, rows, mutated, s.options, run) == nil {
					t.Errorf("%s: %v as %s went unnoticed", arch, s, answer)
				}
			}
		}
	}
}

// TestMutatedProgram changes each instruction of the program, in every way that could matter: the tables have to
// notice. So no rule can be taken out of the filter, or widened by one bit, without a red test. With -short those of
// the program that most launches have.
func TestMutatedProgram(t *testing.T) {
	dangerous := readReported(t)
	samples := readSamples(t)
	for _, arch := range []string{"amd64", "arm64"} {
		rows := readRows(t, arch)
		for _, options := range []string{"-", "traced", "nounix,nonetlink", "-,notify"} {
			if options != "-" && (arch == "arm64" || testing.Short()) {
				continue // the same blocks
			}
			o := parseOptions(t, options)
			rows, samples := reportedRows(t, rows, o.Notify), reported(t, samples, o.Notify)
			options := strings.TrimSuffix(options, ",notify")
			program := mustProgram(t, arch, o)
			blocks := 4 + slices.IndexFunc(program[4:], func(i Instruction) bool { return i.Code == 0x06 })
			for i := range program {
				if i < blocks && (options != "-" || o.Notify && program[i].Code != 0x06) {
					continue // the tree is the same but for a few numbers, and for what it returns
				}
				for _, m := range mutants(program[i]) {
					mutated := slices.Clone(program)
					mutated[i] = m
					run := func(d *data) uint32 { r, _ := execute(mutated, d); return r }
					if i < blocks && numbers(arch, rows, run) != nil { // what finds it soonest comes first
						continue
					}
					if arguments(arch, rows, samples, options, run) == nil && numbers(arch, rows, run) == nil &&
						follow(arch, rows, &o, dangerous, run) == nil {
						t.Errorf("%s %s: instruction %d %v as %v went unnoticed", arch, options, i, program[i], m)
					}
				}
			}
		}
	}
}

// mutants returns what an instruction could have been by mistake.
func mutants(i Instruction) []Instruction {
	with := func(change func(*Instruction)) Instruction { c := i; change(&c); return c }
	switch i.Code {
	case 0x20: // another word of the record
		return []Instruction{
			with(func(c *Instruction) { c.K ^= 4 }),
			with(func(c *Instruction) { c.K += 8 }),
		}
	case 0x06:
		var all []Instruction
		for _, action := range []uint32{0x7fff0000, 0x00050001, 0x00050026, 0x00050061, 0x7fc00000, 0x80000000, 0} {
			if action != i.K {
				all = append(all, Instruction{Code: i.Code, K: action})
			}
		}
		return all
	case 0x45: // each bit of the mask, and the ways swapped
		all := []Instruction{with(func(c *Instruction) { c.JT, c.JF = c.JF, c.JT })}
		for bit := uint32(1); bit != 0; bit <<= 1 {
			if i.K&bit != 0 {
				all = append(all, with(func(c *Instruction) { c.K &^= bit }))
			}
		}
		return all
	case 0x15, 0x35:
		return []Instruction{
			with(func(c *Instruction) { c.JT, c.JF = c.JF, c.JT }),
			with(func(c *Instruction) { c.K++ }),
			with(func(c *Instruction) { c.K-- }),
		}
	}
	return nil
}

// String is one instruction as in a listing: "jge 12 -> +3, +0".
func (i Instruction) String() string {
	switch i.Code {
	case 0x20:
		return fmt.Sprintf("ld [%d]", i.K)
	case 0x06:
		for word, action := range answers {
			if action == i.K {
				return "ret " + word
			}
		}
		return fmt.Sprintf("ret %#x", i.K)
	case 0x05:
		return fmt.Sprintf("ja +%d", i.K)
	}
	name := map[uint16]string{0x15: "jeq", 0x25: "jgt", 0x35: "jge", 0x45: "jset"}[i.Code]
	return fmt.Sprintf("%s %#x +%d +%d", name, i.K, i.JT, i.JF)
}
