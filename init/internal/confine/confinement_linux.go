package confine

import "github.com/security-mcp/mcp-sandbox/policy"

// confinements is a set of confinements: those that have a row of the table.
type confinements uint8

const (
	full             confinements = 1 << iota // namespaces and a root of the server's own
	reduced                                   // Landlock and the filter
	limitsFiltered                            // limits: no file barrier
	limitsUnfiltered                          // limits, where the kernel has no seccomp
	unconfined                                // none

	limitsAny = limitsFiltered | limitsUnfiltered
	shared    = reduced | limitsAny | unconfined // the host's namespaces, with the host's processes in reach
	confined  = full | reduced | limitsAny
	filtered  = full | reduced | limitsFiltered
	always    = full | shared
)

// setOf is the set of one confinement.
func setOf(c policy.Confinement, noFilter bool) confinements {
	if noFilter && c == policy.ConfinementLimits {
		return limitsUnfiltered
	}
	switch c {
	case policy.Full:
		return full
	case policy.Reduced:
		return reduced
	case policy.ConfinementLimits:
		return limitsFiltered
	case policy.None:
		return unconfined
	}
	return 0
}

// is reports whether the launch's confinement is one of these.
func (l *Launch) is(s confinements) bool { return l.in&s != 0 }

// rowsOf are the rows of the table that a confinement has.
func rowsOf(in confinements, s *state) []entry {
	var has []entry
	for _, e := range table(s) {
		if e.where&in != 0 {
			has = append(has, e)
		}
	}
	return has
}
