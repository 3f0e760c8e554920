package seccomp

import (
	"runtime"
	"sort"
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	tests := []struct {
		name         string
		amd64, arm64 uint32
		ok           bool
	}{
		{"read", 0, 63, true},
		{"_sysctl", 156, NoNumber, true}, // first of the table
		{"accept", 43, 202, true},
		{"writev", 20, 66, true}, // last of the table
		{"open", 2, NoNumber, true},
		{"newfstatat", 262, 79, true},
		{"ptrace", 101, 117, true},
		{"clone3", 435, 435, true},
		{"rseq_slice_yield", 471, 471, true},
		{"", 0, 0, false},
		{"-", 0, 0, false},
		{"rea", 0, 0, false},
		{"reads", 0, 0, false},
		{"Read", 0, 0, false},
		{"read 0 63", 0, 0, false},
		{"read 0", 0, 0, false},
		{"\n", 0, 0, false},
		{"zzz", 0, 0, false},
		{"arch_specific_syscall", 0, 0, false},
		{"clock_gettime64", 0, 0, false},
	}
	for _, tt := range tests {
		for arch, want := range map[string]uint32{"amd64": tt.amd64, "arm64": tt.arm64} {
			if n, ok := lookup(arch, tt.name); n != want || ok != tt.ok {
				t.Errorf("lookup(%s, %q) = %d, %v; want %d, %v", arch, tt.name, n, ok, want, tt.ok)
			}
		}
	}
	if n, ok := Number("write"); !ok || runtime.GOARCH == "amd64" && n != 1 || runtime.GOARCH == "arm64" && n != 64 {
		t.Errorf("Number(write) = %d, %v", n, ok)
	}
}

// TestNamesSorted finds every line by its name: the search by halves needs the order.
func TestNamesSorted(t *testing.T) {
	lines := strings.Split(strings.Trim(names, "\n"), "\n")
	if !sort.StringsAreSorted(lines) {
		t.Error("names are not sorted")
	}
	if len(lines) < 380 {
		t.Errorf("%d names, more than 380 wanted", len(lines))
	}
	for _, line := range lines {
		f := strings.Fields(line)
		for i, arch := range []string{"amd64", "arm64"} {
			if n, ok := lookup(arch, f[0]); !ok || n != number(f[i+1]) {
				t.Errorf("lookup(%s, %s) = %d, %v; the table has %q", arch, f[0], n, ok, line)
			}
		}
	}
}

func TestDeny(t *testing.T) {
	n := func(name string) uint32 { n, _ := lookup("amd64", name); return n }
	deny := []uint32{n("socket"), n("uname"), n("clone3"), n("ptrace"), NoNumber, 0x40000000, 1 << 20}
	program := mustProgram(t, "amd64", Options{Deny: deny})
	for name, want := range map[string]uint32{
		"socket": retPerm, "uname": retPerm, // allowed otherwise
		"clone3": retNoSys, "ptrace": retPerm, // as they were
		"read": retAllow, "socketpair": retAllow,
	} {
		d := data{arch: auditAMD64, number: n(name), args: [6]uint64{1, 1}}
		if got, _ := execute(program, &d); got != want {
			t.Errorf("%s: %#x, want %#x", name, got, want)
		}
		allowed := name == "socket" || name == "uname" || want == retAllow
		if got, _ := execute(mustProgram(t, "amd64", Options{}), &d); (got == retAllow) != allowed {
			t.Errorf("%s without deny: %#x", name, got)
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		for _, name := range []string{"execve", "read", "write", "prctl", "rt_sigprocmask", "rt_sigreturn", "exit_group"} {
			number, _ := lookup(arch, name)
			_, err := Program(arch, Options{Deny: []uint32{number}})
			if err == nil || !strings.Contains(err.Error(), "deny "+name+":") {
				t.Errorf("%s: deny %s: error %v", arch, name, err)
			}
		}
	}
	execveat, _ := lookup("amd64", "execveat")
	mustProgram(t, "amd64", Options{Deny: []uint32{execveat}})
	if _, err := Program("mips", Options{}); err == nil {
		t.Error("a program for mips")
	}
}
