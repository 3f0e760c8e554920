package rows

import "github.com/security-mcp/mcp-sandbox/policy"

// A set is some of the confinements: those that a row of the table is for.
type set uint8

const (
	full    set = 1 << iota // namespaces and a root of the server's own
	reduced                 // Landlock and the filter
	bounded                 // limits: no file barrier
	bare                    // limits, where the kernel has no seccomp
	free                    // none

	limited  = bounded | bare
	shared   = reduced | limited | free // the server has the host's namespaces, and the host's processes within reach
	confined = full | reduced | limited
	filtered = full | reduced | bounded
	always   = full | shared
)

// setOf is the confinement's own.
func setOf(c policy.Confinement, noFilter bool) set {
	if noFilter && c == policy.ConfinementLimits {
		return bare
	}
	switch c {
	case policy.Full:
		return full
	case policy.Reduced:
		return reduced
	case policy.ConfinementLimits:
		return bounded
	case policy.None:
		return free
	}
	return 0
}

// is reports whether the launch's confinement is one of these.
func (l *Launch) is(s set) bool { return l.in&s != 0 }

// rowsOf is what a confinement has of the table.
func rowsOf(in set) []entry {
	var has []entry
	for _, e := range table() {
		if e.where&in != 0 {
			has = append(has, e)
		}
	}
	return has
}
