package seccomp

import (
	"slices"
	"testing"
)

// readReported reads the names of testdata/reported.txt.
func readReported(t testing.TB) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, f := range fields(t, "reported.txt") {
		names[f[0]] = true
	}
	return names
}

// reportedRows are the rows of a filter that has a listener: it is asked about what is reported, and nothing else
// changes.
func reportedRows(t testing.TB, rows []row, notify bool) []row {
	t.Helper()
	rows, names := slices.Clone(rows), readReported(t)
	for i := range rows {
		if r := &rows[i]; notify && r.answer == "EPERM" && names[r.name] {
			r.answer = "notify"
		}
	}
	return rows
}

// reported does the same with samples.
func reported(t testing.TB, samples []sample, notify bool) []sample {
	t.Helper()
	samples, names := slices.Clone(samples), readReported(t)
	for i := range samples {
		if s := &samples[i]; notify && s.answer == "EPERM" && names[s.name] {
			s.answer = "notify"
		}
	}
	return samples
}

// TestReportedExist: every name of the table is a call that some filter refuses with EPERM.
func TestReportedExist(t *testing.T) {
	refused := map[string]bool{"fork": true, "vfork": true, "execveat": true} // where subprocess.allow is false
	for _, arch := range []string{"amd64", "arm64"} {
		for _, r := range readRows(t, arch) {
			refused[r.name] = refused[r.name] || r.answer == "EPERM"
		}
	}
	for _, s := range readSamples(t) {
		refused[s.name] = refused[s.name] || s.answer == "EPERM" && s.options == "-"
	}
	for name := range readReported(t) {
		if !refused[name] {
			t.Errorf("reported.txt: %s is never refused with EPERM", name)
		}
	}
}

// TestEveryVariant compares every combination of options, with a listener and without, on both architectures, with the
// tables and the oracles. The samples are made for some of them (TestExact).
func TestEveryVariant(t *testing.T) {
	dangerous := readReported(t)
	for _, arch := range []string{"amd64", "arm64"} {
		plain := readRows(t, arch)
		for bits := range 1 << 5 {
			for _, one := range []bool{false, true} {
				for _, notify := range []bool{true, false} {
					if testing.Short() && !notify && bits&(bits-1) != 0 {
						continue
					}
					o := Options{NoUnix: bits&1 != 0, NoInet: bits&2 != 0, NoNetlink: bits&4 != 0, NoIPC: bits&8 != 0,
						NoPeers: bits&16 != 0, Notify: notify, OneExec: one}
					program := mustProgram(t, arch, o)
					run := func(d *data) uint32 { r, _ := execute(program, d); return r }
					rows := reportedRows(t, plain, notify)
					if err := ownNumbers(arch, rows, run); err != nil {
						t.Errorf("%s %+v: %v", arch, o, err)
					}
					if err := follow(arch, rows, &o, dangerous, run); err != nil {
						t.Errorf("%s %+v: %v", arch, o, err)
					}
				}
			}
		}
	}
}

// TestNotifyChangesNothing: but for the question whether a listener is asked, a filter with one is the filter without.
func TestNotifyChangesNothing(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		for name, o := range variants {
			if o.Egress {
				continue // which demands a listener
			}
			o.Notify = false
			plain := mustProgram(t, arch, o)
			o.Notify = true
			asks := mustProgram(t, arch, o)
			for n := uint32(0); n < 1024; n++ {
				for _, v := range vectors {
					d := data{arch: audits[arch], number: n, args: v}
					want, _ := execute(plain, &d)
					got, _ := execute(asks, &d)
					if got != want && (got != answers["notify"] || want != answers["EPERM"]) {
						t.Fatal(mismatch(name, &d, got, want))
					}
				}
			}
		}
	}
}

func TestName(t *testing.T) {
	for _, name := range []string{"read", "ptrace", "process_vm_readv", "vhangup", "writev"} {
		if n, ok := Number(name); !ok || Name(n) != name {
			t.Errorf("%s is %d, and that is %s", name, n, Name(n))
		}
	}
	if got := Name(1000); got != "syscall 1000" {
		t.Error(got)
	}
}
