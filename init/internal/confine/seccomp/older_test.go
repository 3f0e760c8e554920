package seccomp

import (
	"slices"
	"testing"
)

// What an older Landlock leaves to the filter, in plain words, against every value near those that matter. Everything
// else of the filter is as it was.
func TestOlder(t *testing.T) {
	const init, shim = 4711, 4242
	guarded := Options{Guarded: [2]uint32{init, shim}}
	whole := Options{NoCut: true}
	signal := func(arg int) func(a [6]uint32) bool {
		return func(a [6]uint32) bool { return a[arg] != init && a[arg] != shim && int32(a[arg]) >= 0 }
	}
	oneOf := func(arg int, refused ...uint32) func(a [6]uint32) bool {
		return func(a [6]uint32) bool { return !slices.Contains(refused, a[arg]) }
	}
	open := func(arg int) func(a [6]uint32) bool {
		return func(a [6]uint32) bool {
			cuts, mode := a[arg]>>9&1 == 1, a[arg]&3
			return (!cuts || mode == 1 || mode == 2) && (!makes(a[arg]) || plainMode(a[arg+1]))
		}
	}
	never := func([6]uint32) bool { return false }
	values := append([]uint32{0, 1, init - 1, init, init + 1, shim - 1, shim, shim + 1, 8, 9, 10, 14, 15, 16, 0x8901, 0x8902, 0x8903,
		0o1000, 0o1001, 0o1002, 0o1003, 0o1101, 0o101, 0o6000, 0o4755, 0o644, 0x7fffffff, 0x80000000, 0xffffffff, 0xffffed99}, refusedIoctls...)
	for _, c := range []struct {
		name      string
		o         Options
		allows    func(a [6]uint32) bool
		otherwise string
	}{
		{"kill", guarded, signal(0), "EPERM"}, {"tkill", guarded, signal(0), "EPERM"}, {"tgkill", guarded, signal(0), "EPERM"},
		{"rt_sigqueueinfo", guarded, signal(0), "EPERM"}, {"rt_tgsigqueueinfo", guarded, signal(0), "EPERM"},
		{"setpgid", guarded, signal(1), "EPERM"}, {"pidfd_send_signal", guarded, never, "ENOSYS"},
		{"fcntl", guarded, oneOf(1, 8, 10, 15), "EPERM"},
		{"ioctl", guarded, oneOf(1, append([]uint32{0x8901, 0x8902}, refusedIoctls...)...), "EPERM"},
		{"truncate", whole, never, "EPERM"}, {"open", whole, open(1), "EPERM"}, {"openat", whole, open(2), "EPERM"},
	} {
		for _, arch := range []string{"amd64", "arm64"} {
			number, ok := lookup(arch, c.name)
			if !ok || number >= limit {
				continue // arm64 has no open
			}
			program := mustProgram(t, arch, c.o)
			for _, x := range values {
				for _, y := range values {
					for _, z := range []uint32{0, 0o644, 0o4755, 0o1000, 0o1001, 0o102} {
						a := [6]uint32{x, y, z, y}
						d := data{arch: audits[arch], number: number}
						for i, v := range a {
							d.args[i] = uint64(v) | uint64(^v)<<32
						}
						want := answers[word(c.allows(a), c.otherwise)]
						if got, _ := execute(program, &d); got != want {
							t.Fatalf("%s %s(%#x): %#x, want %#x", arch, c.name, a, got, want)
						}
					}
				}
			}
		}
	}
}

// One guarded process is no less than two, and does not take the caller's own group away.
func TestOneGuarded(t *testing.T) {
	program := mustProgram(t, "amd64", Options{Guarded: [2]uint32{7, 0}})
	for pid, want := range map[uint64]string{0: "allow", 7: "EPERM", 8: "allow"} {
		if got, _ := execute(program, &data{arch: audits["amd64"], number: 62, args: [6]uint64{pid}}); got != answers[want] {
			t.Errorf("kill(%d): %#x, want %s", pid, got, want)
		}
	}
}
