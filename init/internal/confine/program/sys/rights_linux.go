package sys

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"golang.org/x/sys/unix"
)

// SetLimit is prlimit64(2) on the calling process, with a new soft and hard limit.
func SetLimit(resource int, soft, hard uint64) call {
	return sys(unix.SYS_PRLIMIT64, num(0), num(resource), words(soft, hard), num(0))
}

// GetLimit is prlimit64(2) on the calling process, which stores its struct rlimit64 at old.
func GetLimit(resource int, old addr) call {
	return sys(unix.SYS_PRLIMIT64, num(0), num(resource), num(0), ref(old))
}
func Capget(head, data addr) call     { return sys(unix.SYS_CAPGET, ref(head), ref(data)) }
func Capset(head addr, data arg) call { return sys(unix.SYS_CAPSET, ref(head), data) }
func Setgroups(n int, list addr) call { return sys(unix.SYS_SETGROUPS, num(n), ref(list)) }
func Getgroups(n int, list addr) call { return sys(unix.SYS_GETGROUPS, num(n), ref(list)) }

func Setresuid(real, effective, saved int) call {
	return sys(unix.SYS_SETRESUID, num(real), num(effective), num(saved))
}

func Setresgid(real, effective, saved int) call {
	return sys(unix.SYS_SETRESGID, num(real), num(effective), num(saved))
}

func Getresuid(real, effective, saved addr) call {
	return sys(unix.SYS_GETRESUID, ref(real), ref(effective), ref(saved))
}

func Getresgid(real, effective, saved addr) call {
	return sys(unix.SYS_GETRESGID, ref(real), ref(effective), ref(saved))
}

func Keyctl(op, arg2, arg3 int) call { return sys(unix.SYS_KEYCTL, num(op), num(arg2), num(arg3)) }

func LandlockCreateRuleset(attr arg, size uint64, flags int) call {
	return sys(unix.SYS_LANDLOCK_CREATE_RULESET, attr, program.Int(size), num(flags))
}

func LandlockAddRule(ruleset arg, kind int, attr addr) call {
	return sys(unix.SYS_LANDLOCK_ADD_RULE, ruleset, num(kind), ref(attr), num(0))
}

func LandlockRestrictSelf(ruleset arg) call {
	return sys(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, num(0))
}
