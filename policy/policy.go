package policy

// A Policy is what one server may do. Lists grant and deny in addition to each other; an empty one does nothing.
type Policy struct {
	// Level is a set of defaults, and whether there is a network and a file barrier at all. "" means [Standard].
	Level Level
	// MinConfinement is the weakest confinement that may start the server. "" means the level's.
	MinConfinement Confinement

	// Filesystem has the grants and denials of files. The zero value grants nothing.
	Filesystem Filesystem
	// Network has the hosts and sockets that are reached. The zero value is no network.
	Network Network
	// Subprocess says whether other programs may be started.
	Subprocess Subprocess

	// Env are literal variables, which override forwarded ones of the same name.
	Env []Variable
	// EnvVars are names of variables that are forwarded from the launcher, besides those that always are; "PREFIX_*"
	// are all names that begin with "PREFIX_".
	EnvVars []string

	// Limits are of memory, processes, time and the like.
	Limits Limits

	// OnStdinClose is what the end of standard input means. "" means [Terminate], but [Ignore] for mcp-sandbox run.
	OnStdinClose Reaction
	// OnHostExit is what the end of the launcher's parent means. "" means [Terminate].
	OnHostExit Reaction

	// Seccomp has the system calls that are refused besides those that always are.
	Seccomp Seccomp

	// Umask is three or four octal digits such as "0077". "" means the launcher's own, and "0077" in level strict.
	Umask Umask
	// State names the folder that is the private home, and that lasts: launches of one name share the folder. ""
	// means a home that is empty at each start.
	State string
	// Cwd is the server's working folder. "" means the launcher's if it can be seen inside, else the private home.
	Cwd string
	// User is "uid:gid" for a root launcher. "" means 65533:65533, or the launcher's own ids where it has no others.
	User string
}

// Filesystem is what the server may see and change. Paths are absolute, "~/x" or relative; a leading "-" passes over a
// path that is missing. A folder stands for everything below it. The more specific path wins, and on a tie a denial.
type Filesystem struct {
	// Default is what can be seen without a grant. "" means [Deny]: the base system only.
	Default Access
	// AllowRead are the paths that can be read.
	AllowRead []string
	// DenyRead are paths that appear empty inside a grant.
	DenyRead []string
	// AllowWrite are the paths that can be read and written.
	AllowWrite []string
	// DenyWrite are paths that are read-only inside a grant.
	DenyWrite []string
	// TmpSize caps the private /tmp, home and /dev/shm together, in bytes. 0 means 1G or half of the memory limit, what
	// is less.
	TmpSize Quantity
}

// Network is what the server may reach. The zero Network is none.
type Network struct {
	// AllowedDomains are the names and addresses that can be reached, in the forms that [ParseDomain] knows.
	AllowedDomains []string
	// DeniedDomains are those that cannot, whatever AllowedDomains says, in the same forms.
	DeniedDomains []string
	// AllowPrivate lets names resolve to private addresses.
	AllowPrivate bool
	// CheckServerName [No] lets a TLS client on port 443 of a name ask for any name. [Unset] means [Yes]: it asks for
	// that name, or for another allowed one.
	CheckServerName Bool
	// AllowUnixSockets are paths of sockets, which no grant of a folder includes, or the word [AgentSocket].
	AllowUnixSockets []string
	// Publish are ports of the server that the host reaches, in the form that [ParsePublish] knows.
	Publish []string
}

// Subprocess is whether the server may start programs.
type Subprocess struct {
	// Allow [No] means one execve and no process but the server's own. [Unset] means [No] in level strict, else [Yes].
	Allow Bool
}

// Limits are what the server may use. A zero field means the level's default, where it has one, and else no limit.
type Limits struct {
	CPU          CPU      // rate, in thousandths of a core
	Memory       Quantity // bytes, of all processes together where there is a cgroup
	AddressSpace Quantity // bytes, of each process; breaks V8, WASM, the JVM and Go
	Pids         Count    // processes and threads
	OpenFiles    Count    // descriptors, of each process
	FileSize     Quantity // bytes of one file
	IO           Quantity // bytes per second, of each disk
	Timeout      Duration // of the whole run, by the clock on the wall
	// Grace is between SIGTERM and SIGKILL. 0 means 5 s, but 1.5 s after a SIGTERM from the host.
	Grace Duration
}

// Seccomp takes system calls away.
type Seccomp struct {
	// Deny are names of calls that are refused with EPERM besides those that always are. Whether a name exists is
	// checked at launch.
	Deny []string
}

// A Variable is one of the server's environment: NAME=VALUE.
type Variable struct{ Name, Value string }
