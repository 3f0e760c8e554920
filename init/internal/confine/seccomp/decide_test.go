package seccomp

import (
	"maps"
	"slices"
	"testing"
)

// What Decide says of a call is what the program does with samples of its arguments: what is said to pass with some
// passes with one, and each errno is met, and no other.
func TestDecide(t *testing.T) {
	all := maps.Clone(variants)
	all["much"] = muchDenied()
	for title, o := range all {
		for arch := range audits {
			program := mustProgram(t, arch, o)
			for _, r := range readRows(t, arch) {
				got, err := Decide(arch, o, r.number)
				if err != nil {
					t.Fatal(title, arch, r.name, err)
				}
				seen := sampled(program, arch, r)
				if (got.Refusals > 0) != (len(seen.Errnos) > 0 || seen.Traced) {
					t.Errorf("%s, %s, %s: %+v, seen %+v", title, arch, r.name, got, seen)
				}
				seen.Refusals = got.Refusals
				if seen.Allows != got.Allows || seen.Traced != got.Traced || !slices.Equal(seen.Errnos, got.Errnos) {
					t.Errorf("%s, %s, %s: %+v, seen %+v", title, arch, r.name, got, seen)
				}
			}
		}
	}
	if v, err := Decide("riscv64", Options{}, 0); err == nil {
		t.Errorf("riscv64 has no filter, and %+v", v)
	}
}

// sampled is what a program does with a call, each of whose arguments is tried with many values.
func sampled(program []Instruction, arch string, r row) (v Verdict) {
	d := data{arch: audits[arch], number: r.number}
	for _, ground := range grounds(r.name) {
		for i := range 5 {
			for _, value := range sweep(ground[i]) {
				for n := range d.args {
					d.args[n] = uint64(ground[n])
				}
				d.args[i] = uint64(value)
				switch result, _ := execute(program, &d); result {
				case retAllow, retServe:
					v.Allows = true
				case retTrace:
					v.Traced = true
				case retNotify:
					v.Errnos = append(v.Errnos, 1)
				default:
					v.Errnos = append(v.Errnos, uint16(result&0xffff))
				}
			}
		}
	}
	slices.Sort(v.Errnos)
	v.Errnos = slices.Compact(v.Errnos)
	return v
}
