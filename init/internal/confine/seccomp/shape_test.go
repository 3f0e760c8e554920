package seccomp

import (
	"fmt"
	"testing"
)

// plainDepth is how many instructions a number may cost whose answer needs no argument: the kernel runs all of them
// when it loads a filter, and its time is the sum. Four are the check of the architecture, the loads and the return.
const plainDepth = 12

// TestDepth holds what seccomp(2)'s time depends on.
func TestDepth(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		for name, o := range variants {
			t.Run(arch+"/"+name, func(t *testing.T) {
				program := mustProgram(t, arch, o)
				if len(program) > 400 {
					t.Errorf("%d instructions, at most 400 wanted", len(program))
				}
				plain, deepest, sum := 0, 0, 0
				looks := map[uint32]bool{} // at arguments, for an older Landlock
				for _, name := range []string{"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "setpgid", "fcntl"} {
					n, _ := lookup(arch, name)
					looks[n] = o.Guarded != [2]uint32{}
				}
				for _, name := range servedCalls {
					n, _ := lookup(arch, name)
					looks[n] = o.Egress
				}
				for n := uint32(0); n < 1024; n++ {
					d := data{arch: audits[arch], number: n}
					_, steps := execute(program, &d)
					sum += steps
					deepest = max(deepest, steps)
					if n >= limit || !hasRule(arch, n) && !looks[n] {
						plain = max(plain, steps)
					}
				}
				t.Logf("%d instructions, plain %d deep, with arguments %d, mean %.1f", len(program), plain, deepest, float64(sum)/1024)
				if plain > plainDepth {
					t.Errorf("a plain number takes %d instructions, at most %d wanted", plain, plainDepth)
				}
			})
		}
	}
}

var audits = map[string]uint32{"amd64": auditAMD64, "arm64": auditARM64}

var variants = map[string]Options{
	"default": {},
	"nounix":  {NoUnix: true},
	"reduced": {NoUnix: true, NoInet: true, NoNetlink: true, NoIPC: true, NoPeers: true},
	"inet":    {NoUnix: true, NoNetlink: true, NoIPC: true, NoPeers: true},
	"traced":  {OneExec: true},
	"notify":  {Notify: true},
	"older":   {NoUnix: true, NoInet: true, NoNetlink: true, NoIPC: true, NoPeers: true, Guarded: [2]uint32{7, 8}, NoCut: true},
	"egress":  {NoUnix: true, NoInet: true, NoNetlink: true, NoIPC: true, NoPeers: true, Notify: true, Egress: true},
	"all":     {NoUnix: true, NoInet: true, NoNetlink: true, NoIPC: true, NoPeers: true, Notify: true, OneExec: true},
}

// muchDenied refuses every third number from 240 on, below which lies what Go needs to go on: so many
// ranges that some leaves are further than one conditional jump reaches.
func muchDenied() (o Options) {
	for n := uint32(240); n < limit; n += 3 {
		o.Deny = append(o.Deny, n)
	}
	return o
}

func hasRule(arch string, n uint32) bool {
	table := amd64Rules
	if arch == "arm64" {
		table = arm64Rules
	}
	if int(n) >= len(table) {
		return false
	}
	switch table[n] {
	case 'a', 'p', 'd', '-', 'v', 'f':
		return false
	}
	return true
}

func BenchmarkProgram(b *testing.B) {
	for _, o := range []Options{{}, {Deny: []uint32{2, 57, 101, 165, 298}, NoIPC: true}} {
		b.Run(fmt.Sprint(len(o.Deny)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Program("amd64", o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
