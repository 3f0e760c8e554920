// Package seccomp is the seccomp program of a server.
//
//	program, err := seccomp.Program("amd64", seccomp.Options{NoIPC: true})
//	raw := seccomp.Append(nil, program) // what seccomp(2) gets, with len(program)
//
// The filter is an allow-list. A number that is not listed, or newer than the list, is ENOSYS, a refused call EPERM,
// a refused socket EAFNOSUPPORT. Only a foreign architecture (i386 on amd64, arm on arm64) ends the process; the x32
// numbers of amd64 are just unlisted ones.
//
// gen/calls.txt is the decision for each name, gen/rules.go has the conditions on arguments. From both `go generate`
// makes table_gen.go and blocks_gen.go: one letter for each number, and the argument rules as finished blocks of
// instructions. Each launch only builds a balanced tree over ranges of numbers, because seccomp(2) takes time for each
// instruction that any number executes: eight compares deep, not three hundred.
//
// Limits. A filter sees numbers and registers, never what a pointer points to: calls with the decisive argument in
// memory are allowed or refused as a whole (openat2, clone3: ENOSYS). Rules look at the low 32 bits only, as the kernel
// does with these arguments. Nothing here loads a program or needs Linux.
//
// A call to prove it by, under every option and inside another container's usual filter: ioctl(-1, TIOCSTI) is EBADF
// before and EPERM after, and no listener is asked. unshare(0) may be refused by such a filter already.
package seccomp

//go:generate go run ./gen

import (
	"errors"
	"slices"
)

// Options make the default filter stricter. The zero value is the default filter.
type Options struct {
	// Deny are further numbers to refuse with EPERM (see [Number]). A number that is refused anyway keeps its
	// errno: glibc gives up when clone3 is EPERM. NoNumber is ignored.
	Deny []uint32

	// NoUnix, NoInet and NoNetlink refuse these families of socket(2). With NoUnix socketpair(2) still makes stream
	// and seqpacket pairs, but no datagram pair: such an end can send to any address.
	NoUnix, NoInet, NoNetlink bool

	// NoIPC refuses System V IPC, mq_open and mq_unlink: for a server that shares the host's IPC namespace.
	NoIPC bool

	// NoPeers refuses prlimit64 on another process: for a server that shares the host's pid namespace, where a CPU
	// limit on a process of the same user kills it. Only the pid 0 passes, as libcs call it.
	NoPeers bool

	// Guarded are processes that may not be signalled, and with them no group but the caller's own; zeroes guard
	// none. For a server that shares the host's pid namespace where no Landlock scope bounds its signals (ABI 6). A
	// thread's number that is not its process's gets past it.
	Guarded [2]uint32

	// NoCut refuses truncate(2), and open(2) with O_TRUNC unless for writing: Landlock does not check these
	// before ABI 3.
	NoCut bool

	// Notify has a listener asked about the dangerous calls that are refused (`report` in gen/calls.txt; clone and
	// seccomp for their refused arguments; calls that start programs where OneExec forbids it). The listener has to
	// answer EPERM, always: without a listener the kernel answers ENOSYS.
	Notify bool

	// Egress has the listener, which Notify demands, make the sockets of TCP and UDP, and answer the calls that name
	// an address or an option of theirs: see [Options.CanServe]. A server gets no socket of the Internet by this
	// filter, also where the listener is gone: then these calls are ENOSYS. NoInet makes no difference.
	Egress bool

	// OneExec permits execve while a tracer with PTRACE_O_TRACESECCOMP lets it pass, and no process but threads.
	// Once the tracer has detached every execve is ENOSYS, whatever its arguments (seccomp(2), SECCOMP_RET_TRACE).
	// To permit an execveat on one descriptor would not do: the kernel ignores the descriptor where the path is
	// absolute, and a filter cannot see the path.
	OneExec bool
}

// CanNotify reports whether a process behind this filter can hand its listener over and be seen to have done so.
func (o *Options) CanNotify(arch string) bool {
	for _, name := range [...]string{"sendmsg", "close", "fcntl"} {
		if n, _ := lookup(arch, name); slices.Contains(o.Deny, n) {
			return false
		}
	}
	return true
}

// CanServe is an error that names the first call in Deny that Options.Egress has a listener answer.
func (o *Options) CanServe(arch string) error {
	for _, name := range servedCalls {
		if n, _ := lookup(arch, name); slices.Contains(o.Deny, n) {
			return errors.New("deny " + name + ": hosts by name need the call")
		}
	}
	return nil
}

// Program returns the filter for arch, a GOARCH. The filter does not depend on the machine that builds it.
func Program(arch string, o Options) ([]Instruction, error) {
	var rules [limit]byte
	var audit uint32
	switch arch {
	case "amd64":
		audit = auditAMD64
		fill(&rules, amd64Rules)
	case "arm64":
		audit = auditARM64
		fill(&rules, arm64Rules)
	default:
		return nil, errors.New("filter " + arch + ": no table for this architecture")
	}
	older(&rules, arch, &o)
	if o.Egress {
		if !o.Notify {
			return nil, errors.New("filter " + arch + ": sockets are made by a listener, and there is none")
		}
		serve(&rules, arch)
	}
	if err := deny(&rules, arch, &o); err != nil {
		return nil, err
	}
	a := assembler{pos: capacity}
	a.blocks(&rules, &o)
	a.dispatch(&rules, audit)
	if a.overflow {
		return nil, errors.New("filter " + arch + ": program does not fit")
	}
	return slices.Clone(a.code[a.pos:]), nil
}

// fill spreads a table; numbers behind its end are unknown.
func fill(rules *[limit]byte, table string) {
	for n := copy(rules[:], table); n < limit; n++ {
		rules[n] = ruleNoSys
	}
}

// needed are the calls between the filter's loading and the server's start, and a signal handler's way back; the
// last is the execve itself.
var needed = [...]string{"read", "write", "rt_sigprocmask", "rt_sigreturn", "prctl", "exit_group", "execve"}

const whyNeeded = "the server could not be started without it"

// deny turns calls that are allowed, wholly or in part, into EPERM.
func deny(rules *[limit]byte, arch string, o *Options) error {
	if len(o.Deny) == 0 {
		return nil
	}
	for _, n := range o.Deny {
		// From limit on all is ENOSYS as it is: NoNumber, x32, later calls.
		if n < limit && rules[n] != ruleNoSys && rules[n] != ruleReport {
			rules[n] = rulePerm
		}
	}
	for _, name := range needed {
		if n, _ := lookup(arch, name); rules[n] == rulePerm {
			return errors.New("deny " + name + ": " + whyNeeded)
		}
	}
	return nil
}
