package sys

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// SetLimit is prlimit64(2) on the calling process, with a new soft and hard limit.
func SetLimit(resource int, soft, hard uint64) program.Syscall {
	return program.Sys(unix.SYS_PRLIMIT64, num(0), num(resource), program.Words(soft, hard), num(0))
}

// GetLimit is prlimit64(2) on the calling process, which stores its struct rlimit64 at old.
func GetLimit(resource int, old program.Addr) program.Syscall {
	return program.Sys(unix.SYS_PRLIMIT64, num(0), num(resource), num(0), program.Ref(old))
}

func Capget(head, data program.Addr) program.Syscall {
	return program.Sys(unix.SYS_CAPGET, program.Ref(head), program.Ref(data))
}

func Capset(head program.Addr, data program.Arg) program.Syscall {
	return program.Sys(unix.SYS_CAPSET, program.Ref(head), data)
}

func Setgroups(n int, list program.Addr) program.Syscall {
	return program.Sys(unix.SYS_SETGROUPS, num(n), program.Ref(list))
}

func Getgroups(n int, list program.Addr) program.Syscall {
	return program.Sys(unix.SYS_GETGROUPS, num(n), program.Ref(list))
}

func Setresuid(real, effective, saved int) program.Syscall {
	return program.Sys(unix.SYS_SETRESUID, num(real), num(effective), num(saved))
}

func Setresgid(real, effective, saved int) program.Syscall {
	return program.Sys(unix.SYS_SETRESGID, num(real), num(effective), num(saved))
}

func Getresuid(real, effective, saved program.Addr) program.Syscall {
	return program.Sys(unix.SYS_GETRESUID, program.Ref(real), program.Ref(effective), program.Ref(saved))
}

func Getresgid(real, effective, saved program.Addr) program.Syscall {
	return program.Sys(unix.SYS_GETRESGID, program.Ref(real), program.Ref(effective), program.Ref(saved))
}

func Keyctl(op, arg2, arg3 int) program.Syscall {
	return program.Sys(unix.SYS_KEYCTL, num(op), num(arg2), num(arg3))
}

func LandlockCreateRuleset(attr program.Arg, size uint64, flags int) program.Syscall {
	return program.Sys(unix.SYS_LANDLOCK_CREATE_RULESET, attr, program.Int(size), num(flags))
}

func LandlockAddRule(ruleset program.Arg, kind int, attr program.Addr) program.Syscall {
	return program.Sys(unix.SYS_LANDLOCK_ADD_RULE, ruleset, num(kind), program.Ref(attr), num(0))
}

func LandlockRestrictSelf(ruleset program.Arg) program.Syscall {
	return program.Sys(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, num(0))
}
