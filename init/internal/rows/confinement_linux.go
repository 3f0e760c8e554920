package rows

import "github.com/security-mcp/mcp-sandbox/policy"

// confinements is some of the confinements: those that a row of the table is for.
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

// setOf is the confinement's own.
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

// rowsOf is what a confinement has of the table.
func rowsOf(in confinements, s *state) []entry {
	var has []entry
	for _, e := range table(s) {
		if e.where&in != 0 {
			has = append(has, e)
		}
	}
	return has
}
