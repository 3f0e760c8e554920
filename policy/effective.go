package policy

import "runtime"

// Effective returns the policy with every default of its level, of the program that launches and of this
// operating system filled in. Named values stay. The policy should be valid; a second call changes nothing.
//
// Empty keys have no default that is known here: cwd and user, which depend on the machine, optional limits,
// and limits.grace, whose default depends on why the server ends.
func (p Policy) Effective(program Program) Policy { return p.effective(program, runtime.GOOS) }

func (p Policy) effective(program Program, system string) Policy {
	def(&p.Level, Standard)
	d := p.Level.defaults(system)
	def(&p.MinConfinement, d.least)
	def(&p.Filesystem.Default, Deny)
	def(&p.Subprocess.Allow, d.subprocess)
	def(&p.Limits.CPU, d.limits.CPU)
	def(&p.Limits.Memory, d.limits.Memory)
	def(&p.Limits.Pids, d.limits.Pids)
	def(&p.Limits.OpenFiles, d.limits.OpenFiles)
	if p.Level != Privileged { // there /tmp is the host's
		def(&p.Filesystem.TmpSize, tmpSize(p.Limits.Memory))
	}
	if program == Run {
		def(&p.OnStdinClose, Ignore)
	}
	def(&p.OnStdinClose, Terminate)
	def(&p.OnHostExit, Terminate)
	def(&p.Umask, d.umask)
	if len(p.Network.AllowedDomains) > 0 { // else there is no connection to check
		def(&p.Network.CheckServerName, Yes)
	}
	return p
}

// def sets what is zero.
func def[T comparable](at *T, value T) {
	var zero T
	if *at == zero {
		*at = value
	}
}

type defaults struct {
	least      Confinement
	subprocess Bool
	limits     Limits
	umask      Umask
}

// defaults are the contract's, in one place.
func (l Level) defaults(system string) defaults {
	switch l {
	case Strict:
		return defaults{Full, No, Limits{CPU: 1000, Memory: 512 << 20, Pids: 64, OpenFiles: 1024}, "0077"}
	case Privileged:
		return defaults{None, Yes, Limits{CPU: Unlimited, Memory: Unlimited, Pids: Unlimited, OpenFiles: Unlimited}, ""}
	}
	least := Reduced
	if system != "linux" {
		least = ConfinementLimits // what macOS and Windows can give
	}
	return defaults{least, Yes, Limits{CPU: Unlimited, Memory: 2 << 30, Pids: 512, OpenFiles: 1024}, ""}
}

// tmpSize is 1G, or half of the memory that the tmpfs is charged to; never 0, which mount(2) takes for no limit.
func tmpSize(memory Quantity) Quantity {
	const most = 1 << 30
	if bytes, ok := memory.Value(); ok {
		return Quantity(max(1, min(most, bytes/2)))
	}
	return most
}
