package layers

import (
	"math"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A landlockFallback is the versions of Landlock below which the filter stands in.
type landlockFallback struct{ signal, truncate int }

// fallbackOf is the fallback of a confinement. Full has none: its namespaces bound signals, and its mounts files.
func fallbackOf(c policy.Confinement) landlockFallback {
	switch c {
	case policy.Reduced:
		return landlockFallback{signal: scopesABI, truncate: truncateABI}
	case policy.ConfinementLimits:
		return landlockFallback{signal: math.MaxInt}
	}
	return landlockFallback{}
}

// Guarded reports whether the filter refuses signals to init and the launcher, because no scope of Landlock does.
func Guarded(c policy.Confinement, abi int) bool { return abi < fallbackOf(c).signal }

// NoCut reports whether the filter refuses to truncate a file that was not opened for writing.
func NoCut(c policy.Confinement, abi int) bool { return abi < fallbackOf(c).truncate }

// fallbackTrials are calls that change nothing, tried before the filter and behind it.
type fallbackTrials struct{ signal, truncate program.Op }

func (f landlockFallback) try(b *build) (t fallbackTrials) {
	if b.Machine.LandlockABI < f.signal {
		t.signal = signalInit(b)
	}
	if b.Machine.LandlockABI < f.truncate {
		t.truncate = b.Observe(sys.Truncate("", 0))
	}
	return t
}

func (f landlockFallback) prove(b *build, before, behind fallbackTrials) {
	if b.Machine.LandlockABI < f.signal {
		b.fact("signal to init before the filter", "0", before.signal)
		b.fact("signal to init", "EPERM", behind.signal)
	}
	if b.Machine.LandlockABI < f.truncate {
		b.fact("truncate before", "ENOENT", before.truncate)
		b.fact("truncate", "EPERM", behind.truncate)
	}
}

// lacksScopes adds the facts that a server with namespaces of its own lacks with an older Landlock.
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
