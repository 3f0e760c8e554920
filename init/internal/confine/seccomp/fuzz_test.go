package seccomp

import (
	"slices"
	"testing"
)

// FuzzProgram: whatever is denied and chosen, the program is one the kernel takes, no longer or deeper than it may
// be, says EPERM to what is denied and the same as before to all else.
func FuzzProgram(f *testing.F) {
	f.Add(false, byte(0), false, uint32(0), []byte{})
	f.Add(true, byte(0xff), true, uint32(63), []byte{1, 3, 5, 7, 9})
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	f.Add(false, byte(7), true, uint32(1), every)
	f.Fuzz(func(t *testing.T, arm bool, bits byte, notify bool, guarded uint32, numbers []byte) {
		arch := "amd64"
		if arm {
			arch = "arm64"
		}
		o := Options{
			NoUnix: bits&1 != 0, NoInet: bits&2 != 0, NoNetlink: bits&4 != 0, NoIPC: bits&8 != 0, NoPeers: bits&16 != 0,
			Notify: notify, OneExec: bits&32 != 0, NoCut: bits&64 != 0, Guarded: [2]uint32{guarded, guarded},
		}
		base := mustProgram(t, arch, o)
		var must []uint32 // TestDeny has these
		for _, name := range append([]string{"execveat"}, needed[:]...) {
			n, _ := lookup(arch, name)
			must = append(must, n)
		}
		for i, b := range numbers { // odd and even ones
			if n := uint32(b)*2 + uint32(i)%2; !slices.Contains(must, n) {
				o.Deny = append(o.Deny, n)
			}
		}
		program := mustProgram(t, arch, o)
		newReference(t, program) // jumps stay inside, the last instruction returns
		if len(program) > 768 {
			t.Fatalf("%d instructions", len(program))
		}
		for n := uint32(0); n < 600; n++ {
			for _, v := range vectors[:3] { // TestExact has the others
				d := data{arch: audits[arch], number: n, args: v}
				got, steps := execute(program, &d)
				want, _ := execute(base, &d)
				if slices.Contains(o.Deny, n) && want != answers["ENOSYS"] && !dangerous(arch, n) {
					want = answers["EPERM"]
				}
				if got != want {
					t.Fatal(mismatch("fuzz", &d, got, want))
				}
				if steps > 40 { // ioctl has the most values
					t.Fatalf("number %d takes %d instructions", n, steps)
				}
			}
		}
	})
}

// dangerous reports whether a number is refused whatever a policy says, and told where there is a listener.
func dangerous(arch string, n uint32) bool {
	table := amd64Rules
	if arch == "arm64" {
		table = arm64Rules
	}
	return int(n) < len(table) && table[n] == ruleReport
}
