package policy

import "slices"

// Level is a set of defaults. The zero Level is [Standard].
type Level string

// The levels. A name that a type of this package has already carries its kind in front.
const (
	Strict       Level = "strict"     // files read-only, one process, no network but by name
	Standard     Level = "standard"   // no network but by name
	LevelNetwork Level = "network"    // the host's network
	Privileged   Level = "privileged" // nothing is confined
)

// Confinement is how much of the barrier holds.
type Confinement string

// The confinements, the strongest first.
const (
	Full              Confinement = "full"    // namespaces, own root, seccomp, Landlock where the kernel has it
	Reduced           Confinement = "reduced" // no namespaces: Landlock and seccomp
	ConfinementLimits Confinement = "limits"  // limits and whole-tree kill: no barrier
	None              Confinement = "none"
)

// Holds reports whether c is at least as strong as least. A word that is no confinement holds nothing.
func (c Confinement) Holds(least Confinement) bool { return c.rank() >= least.rank() && c.rank() > 0 }

func (c Confinement) rank() int {
	return 1 + slices.Index([]Confinement{None, ConfinementLimits, Reduced, Full}, c)
}

// Access is what can be seen without a grant. The zero Access is [Deny].
type Access string

const (
	Deny Access = "deny" // the base system only
	Read Access = "read" // the host's root, read-only
)

// Reaction is what an event does to the server.
type Reaction string

// The reactions.
const (
	Terminate Reaction = "terminate" // the server is ended
	Ignore    Reaction = "ignore"    // the server runs on
)

// Bool is true, false or nothing said.
type Bool uint8

// The values of a Bool.
const (
	Unset Bool = iota // nothing said: the default counts
	No
	Yes
)

// Value is what b says, and whether it says anything.
func (b Bool) Value() (yes, named bool) { return b == Yes, b != Unset }

// String is "true", "false" or "".
func (b Bool) String() string {
	switch b {
	case Yes:
		return "true"
	case No:
		return "false"
	}
	return ""
}

// UnmarshalText reads "true" or "false".
func (b *Bool) UnmarshalText(text []byte) error {
	switch string(text) {
	case "true":
		*b = Yes
	case "false":
		*b = No
	default:
		return invalid(text, "is neither true nor false")
	}
	return nil
}

// Program is the program that launches: a default depends on it.
type Program uint8

const (
	Init    Program = iota // mcp-sandbox-init
	Run                    // mcp-sandbox run
	Library                // a Go host
)
