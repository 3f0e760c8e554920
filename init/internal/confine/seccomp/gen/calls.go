package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/elastic/go-seccomp-bpf/arch"
)

// A call is one decision: a rule's letter, and the numbers it is for, -1 where an architecture has not got it.
type call struct {
	name         string
	letter       byte
	amd64, arm64 int
}

// letters are the words of calls.txt, as the letters of package seccomp.
var letters = map[string]byte{
	"allow": 'a', "refuse": 'p', "report": 'd', "unknown": '-',
	"clone": 'c', "fork": 'f', "execve": 'x', "ioctl": 'i', "ipc": 'v', "prlimit": 'l', "setrlimit": 'L', "rename": 'R',
	"socket": 's', "socketpair": 'S', "personality": 'y', "seccomp": 'q', "prctl": 'r',
	"mode1": '1', "mode2": '2', "open": 'o', "openat": 'O', "mknod": 'n', "mknodat": 'N',
}

// newer are calls that the pinned tables do not have yet.
var newer = []call{
	{"uprobe", 0, 336, -1},
	{"file_getattr", 0, 468, 468},
	{"file_setattr", 0, 469, 469},
	{"listns", 0, 470, 470},
	{"rseq_slice_yield", 0, 471, 471},
}

// known returns every call of both architectures, without letters.
func known() map[string]call {
	all := map[string]call{}
	for n, name := range arch.X86_64.SyscallNumbers {
		all[name] = call{name: name, amd64: n, arm64: -1}
	}
	for n, name := range arch.AARCH64.SyscallNumbers {
		if name == "fstatat" {
			name = "newfstatat"
		}
		// The pinned table has the 32-bit architectures' calls (clock_gettime64, …) and a placeholder here.
		if 403 <= n && n <= 423 || name == "arch_specific_syscall" {
			continue
		}
		c, ok := all[name]
		if !ok {
			c = call{name: name, amd64: -1}
		}
		c.arm64 = n
		all[name] = c
	}
	for _, c := range newer {
		all[c.name] = c
	}
	return all
}

// decide reads calls.txt and returns the calls by name.
func decide(text string) ([]call, error) {
	left := known()
	var decided []call
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		letter, ok := letters[words[0]]
		if !ok || len(words) == 1 {
			return nil, fmt.Errorf("calls.txt:%d: %q is no rule with names", i+1, line)
		}
		for _, name := range words[1:] {
			c, ok := left[name]
			if !ok {
				return nil, fmt.Errorf("calls.txt:%d: %s is unknown, or decided twice", i+1, name)
			}
			delete(left, name)
			c.letter = letter
			decided = append(decided, c)
		}
	}
	for name := range left {
		return nil, fmt.Errorf("calls.txt: %s is not decided (%d such)", name, len(left))
	}
	sort.Slice(decided, func(i, j int) bool { return decided[i].name < decided[j].name })
	return decided, nil
}
