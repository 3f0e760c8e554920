package seccomp

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// servedJudges say in plain words which calls the listener answers in earnest.
func servedJudges() map[string]func(a [6]uint64) string {
	pick := func(served bool) string {
		if served {
			return "serve"
		}
		return "allow"
	}
	always := func([6]uint64) string { return "serve" }
	address := func(a [6]uint64) string { return pick(a[4] != 0) }
	return map[string]func(a [6]uint64) string{
		"connect": always, "bind": always, "listen": always, "getsockname": always, "getpeername": always,
		"recvmsg": always,
		"sendto":  address, "recvfrom": address,
		"setsockopt": func(a [6]uint64) string {
			told := []uint32{7, 16, 32, 76}
			return pick(uint32(a[1]) != 1 || slices.Contains(told, uint32(a[2])))
		},
		"getsockopt": func(a [6]uint64) string {
			told := []uint32{3, 4, 17, 31, 38, 39, 59, 77}
			return pick(uint32(a[1]) != 1 || slices.Contains(told, uint32(a[2])))
		},
		"socket": func(a [6]uint64) string {
			kind, protocol := uint32(a[1])&^(1<<11|1<<19), uint32(a[2])
			ours := uint32(a[0]) == 2 || uint32(a[0]) == 10
			if ours && (kind == 1 || kind == 2) && (protocol == 0 || protocol == 6 || protocol == 17) {
				return "serve"
			}
			return "EAFNOSUPPORT"
		},
	}
}

// servedValues are near those that matter, and have each bit that a kind of socket may not have.
func servedValues() []uint64 {
	all := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 8, 15, 16, 17, 18, 30, 31, 32, 33, 37, 38, 39, 40, 58, 59, 60, 75, 76, 77, 78,
		0x802, 0x80002, 0x80801, 1<<32 - 1, 1 << 32, 1<<32 | 1, 1<<32 | 2, 1 << 63}
	for bit := 2; bit < 32; bit++ {
		all = append(all, 1<<bit|1)
	}
	return all
}

// served compares a program with the judges.
func served(arch string, program []Instruction, names ...string) error {
	values, judges := servedValues(), servedJudges()
	results := map[string]uint32{"serve": 0x7fc00001, "allow": answers["allow"], "EAFNOSUPPORT": answers["EAFNOSUPPORT"]}
	var d data
	for _, name := range names {
		number, _ := lookup(arch, name)
		d = data{arch: audits[arch], number: number}
		for _, x := range values {
			for _, y := range values {
				for _, z := range values {
					d.args = [6]uint64{x, y, z, x ^ y, z, y}
					want := results[judges[name](d.args)]
					if got, _ := execute(program, &d); got != want {
						return mismatch(name, &d, got, want)
					}
				}
			}
		}
	}
	return nil
}

func TestServed(t *testing.T) {
	o := variants["egress"]
	without := o
	without.Egress = false
	for _, arch := range []string{"amd64", "arm64"} {
		program, plain := mustProgram(t, arch, o), mustProgram(t, arch, without)
		if err := served(arch, program, servedCalls[:]...); err != nil {
			t.Error(err)
		}
		for n := range uint32(1024) { // everything else of the filter is as it was
			if slices.ContainsFunc(servedCalls[:], func(name string) bool { is, _ := lookup(arch, name); return is == n }) {
				continue
			}
			for _, v := range vectors {
				d := data{arch: audits[arch], number: n, args: v}
				want, _ := execute(plain, &d)
				if got, _ := execute(program, &d); got != want {
					t.Fatal(mismatch("number", &d, got, want))
				}
			}
		}
	}
}

// Each instruction of these blocks is changed in every way that could matter, and the judges notice.
func TestMutatedServed(t *testing.T) {
	program := mustProgram(t, "amd64", variants["egress"])
	raw := Append(nil, program)
	inet := strings.ReplaceAll(blockInet, ret(0x7fff0000), ret(0x7fc00001))
	for block, names := range map[string][]string{
		inet: {"socket"}, blockServedGet: {"getsockopt"}, blockServedSet: {"setsockopt"},
		blockServedAddress: {"sendto", "recvfrom"},
	} {
		from := bytes.Index(raw, []byte(block)) / instructionSize
		if from < 0 {
			t.Fatal(names, "has no block")
		}
		for i := from; i < from+len(block)/instructionSize; i++ {
			for _, m := range mutants(program[i]) {
				mutated := slices.Clone(program)
				mutated[i] = m
				if served("amd64", mutated, names...) == nil {
					t.Errorf("%v: instruction %d %v as %v went unnoticed", names, i-from, program[i], m)
				}
			}
		}
	}
}

// ret is a return of a block.
func ret(action uint32) string { return string(Append(nil, []Instruction{{Code: 0x06, K: action}})) }

// Sockets are not made by a listener that there is none of, nor by calls that the policy refuses.
func TestServedNeeds(t *testing.T) {
	if _, err := Program("amd64", Options{Egress: true}); err == nil || !strings.Contains(err.Error(), "listener") {
		t.Errorf("without a listener: %v", err)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		for _, r := range readRows(t, arch) {
			o := Options{Deny: []uint32{r.number}}
			if err := o.CanServe(arch); (err != nil) != slices.Contains(servedCalls[:], r.name) {
				t.Errorf("%s, %s denied: %v", arch, r.name, err)
			}
		}
	}
}
