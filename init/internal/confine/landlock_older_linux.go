package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Guarded reports whether the filter refuses signals to init and the launcher, because no scope of Landlock does.
func Guarded(c policy.Confinement, abi int) bool {
	return c == policy.ConfinementLimits || c == policy.Reduced && abi < scopesABI
}

// NoCut reports whether the filter refuses to truncate a file that was not opened for writing.
func NoCut(c policy.Confinement, abi int) bool { return c == policy.Reduced && abi < truncateABI }

// landlockFallback proves the filter where it stands in for an older Landlock: by calls that change nothing, tried
// before the filter and behind it.
type landlockFallback struct{ signal, cut [2]program.Op }

// try tries the calls; when is 0 before the filter and 1 behind it.
func (r *landlockFallback) try(b *build, when int) {
	c, abi := b.launch.confinement, b.Machine.LandlockABI
	if Guarded(c, abi) {
		r.signal[when] = signalInit(b)
	}
	if NoCut(c, abi) {
		r.cut[when] = b.Observe(sys.Truncate("", 0))
	}
}

func (r *landlockFallback) prove(b *build) {
	confinement, abi := b.launch.confinement, b.Machine.LandlockABI
	if Guarded(confinement, abi) {
		b.fact("signal to init before the filter", "0", r.signal[0])
		b.fact("signal to init", "EPERM", r.signal[1])
	}
	if NoCut(confinement, abi) {
		b.fact("truncate before", "ENOENT", r.cut[0])
		b.fact("truncate", "EPERM", r.cut[1])
	}
}

// lacksScopes adds what a server with namespaces of its own lacks with an older Landlock.
func lacksScopes(c *check, abi int) {
	if abi < scopesABI {
		c.lacks("scope of signals and abstract sockets", "the sandbox",
			"Landlock ABI "+strconv.Itoa(abi)+" has no scopes", "the pid and network namespaces alone bound them")
	}
}

// lacksBarrier adds what a server in the host's root lacks with an older Landlock, where the filter does not stand in.
func lacksBarrier(c *check, abi int) {
	lacks := func(least int, name, effect string) {
		if abi < least {
			c.lacks(name, "ABI "+strconv.Itoa(least), "the kernel's Landlock has ABI "+strconv.Itoa(abi), effect)
		}
	}
	lacks(renameABI, "renames", "no file can be renamed or linked from one folder to another, as npm and git do")
	lacks(ioctlABI, "ioctls of devices",
		"those of the few devices that can be opened, and of a terminal, are bounded by the filter alone")
	lacks(scopesABI, "scopes", "the filter refuses signals to init and the launcher, by their numbers, and to groups; "+
		"other processes of the launcher's user can be signalled")
}
