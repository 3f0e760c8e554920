package profile

import "github.com/security-mcp/mcp-sandbox/policy"

// A Profile has the needs of one package's server.
type Profile struct {
	// Package is the ecosystem and the name that its registry knows: "npm:@x/y".
	Package string
	// Policy has the grants of every launch of the package. Only keys that grant are set.
	Policy policy.Policy
	// Arguments are the sources that name folders or hosts.
	Arguments []Argument
	// Required are variables without which the server does not work, Optional those that it can use besides. A name
	// PREFIX_* is all that begin with PREFIX_.
	Required, Optional []string
	// Unless are variables, and flags with a value, that take the place of those in Required.
	Unless []string
	// Flags are further flags with a value, which grants nothing and is no argument.
	Flags []string
	// HostsFrom are variables with the URL of a host that is reached.
	HostsFrom []string
	// State says that the server keeps something between launches.
	State bool
	// Moves says that the server renames files from one of its folders to another.
	Moves bool
}

// An Argument is a word of the command line, or a variable, that names a folder or a host. Of its sources the first
// that is given counts: Flag, Position, Variable.
type Argument struct {
	// Position counts the arguments that are no flags, from 0 on. -1: the source is another.
	Position int
	// Rest means all arguments from Position on.
	Rest bool
	// Flag is "--db": the value follows as a word of its own or behind "=".
	Flag string
	// Variable is the name of a variable.
	Variable string
	// Grant is the right that the value gives.
	Grant Grant
	// Folder means the folder that the path lies in: a server that saves by renaming needs that folder.
	Folder bool
	// Key says that the path is a file, in which each value of that key is the URL of a host that is reached.
	Key string
	// Default is the value where no source is given. A path may begin with "~/" for the home, and with "-" before that
	// if it may be missing.
	Default string
	// Unless are variables, and flags with a value, that take the place of Default: where one is given, nothing is
	// granted.
	Unless []string
	// Scheme is that of a host without one.
	Scheme string
	// PortFrom is the variable with the port of a host without one.
	PortFrom string
}

// Grant is the right that the value of an argument gives.
type Grant string

// The grants.
const (
	Read  Grant = "read"  // the path can be read
	Write Grant = "write" // the path can be written
	Host  Grant = "host"  // the host can be reached
)

// StateName is the name of the home that lasts, for a profile with State.
func (p *Profile) StateName() string { return stateName(p.Package) }
