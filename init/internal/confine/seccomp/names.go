package seccomp

import (
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/nearest"
)

// NoNumber is the number of a call that the other architecture has and this one has not.
const NoNumber = ^uint32(0)

// Number looks a name of `seccomp.deny` up for the architecture this program was built for.
//
// A name that only the other of amd64 and arm64 has (open, fork: arm64 has openat and clone) is known too, with
// NoNumber: one policy serves both machines, and an absent call needs no refusal. Any other name is not known, so
// that a misspelt one is an error and not a hole. Names are those of the kernel's tables (newfstatat, pread64).
func Number(name string) (uint32, bool) { return lookup(runtime.GOARCH, name) }

// lookup searches the lines "name amd64 arm64" by halves; a "-" stands for no number.
func lookup(arch, name string) (uint32, bool) {
	low, high := 1, len(names) // both at the start of a line; names begins with an empty one
	for low < high {
		start := low + strings.LastIndexByte(names[low:(low+high)/2], '\n') + 1
		end := start + strings.IndexByte(names[start:], '\n')
		at, numbers, _ := strings.Cut(names[start:end], " ")
		switch {
		case name < at:
			high = start
		case name > at:
			low = end + 1
		default:
			amd64, arm64, _ := strings.Cut(numbers, " ")
			if arch == "arm64" {
				return number(arm64), true
			}
			return number(amd64), true
		}
	}
	return 0, false
}

func number(digits string) uint32 {
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return NoNumber
	}
	return uint32(n)
}

// Name is the name of a number of the architecture that this program was built for.
func Name(nr uint32) string {
	digits := strconv.FormatUint(uint64(nr), 10)
	for line := range strings.SplitSeq(names[1:len(names)-1], "\n") {
		name, numbers, _ := strings.Cut(line, " ")
		amd64, arm64, _ := strings.Cut(numbers, " ")
		if runtime.GOARCH == "amd64" && amd64 == digits || runtime.GOARCH == "arm64" && arm64 == digits {
			return name
		}
	}
	return "syscall " + digits
}

// Names are those that [Number] knows, in their order.
func Names() (all []string) {
	for line := range strings.SplitSeq(names[1:len(names)-1], "\n") {
		name, _, _ := strings.Cut(line, " ")
		all = append(all, name)
	}
	return all
}

// Undeniable says why no policy can deny a call; "" where it can.
func Undeniable(name string) string {
	if slices.Contains(needed[:], name) {
		return whyNeeded
	}
	_, why := Unknown([]string{name})
	return why
}

// Unknown is the index of the first of these that is the name of no system call, and why; -1 where all are known.
func Unknown(list []string) (index int, why string) {
	for i, name := range list {
		if _, ok := Number(name); ok {
			continue
		}
		why = strconv.Quote(name) + " is no system call"
		if meant := nearest.Of(name, Names()); meant != "" {
			why += " (did you mean " + meant + "?)"
		}
		return i, why
	}
	return -1, ""
}
