package order

// A Question asks whether a server may do one act under a policy. Exactly one of Path, Socket, Host, Syscall and
// Variable is not "".
type Question struct {
	Path     string // absolute, as the server names it
	Op       Op     // of Path
	Socket   string // the path of a socket of the host
	Host     string // a name or an address
	Port     uint16 // of Host; 0 asks for 80 and 443
	Syscall  string // its name
	Variable string // its name
}

// An Op is what is to be done with a path.
type Op string

// The ops.
const (
	OpRead  Op = "read"
	OpWrite Op = "write"
	OpExec  Op = "exec"
)

// An Allowance says whether an act is allowed.
type Allowance string

// The allowances. In JSON they are true, false and "depends".
const (
	ActAllowed Allowance = "allowed"
	ActDenied  Allowance = "denied"
	ActDepends Allowance = "depends" // on a system call's arguments
)

// A Reason says because of what an act is denied.
type Reason string

// The reasons.
const (
	ByPolicy      Reason = "policy"
	ByPermissions Reason = "permissions" // the file's own, whatever the policy says
	ByMissing     Reason = "missing"     // does not exist on the host either
)

// A Sight is what the server finds at a path.
type Sight string

// The sights.
const (
	SeesHost      Sight = "host"
	SeesReadOnly  Sight = "read-only"
	SeesPrivate   Sight = "private"
	SeesGenerated Sight = "generated"
	SeesEmpty     Sight = "empty"
	SeesAbsent    Sight = "absent"
)

// An Answer is that to a Question.
type Answer struct {
	Allowed Allowance
	Reason  Reason   // "" where allowed
	By      string   // a JSON pointer to the policy's entry, or "default"
	Seen    Sight    // of a path or socket
	OnHost  bool     // the path exists on the host
	Flags   []string // the smallest change as flags of run; nil where none helps, or only a removal
	Patch   []Patch  // the same as RFC 6902, to be applied to the policy's document
	Opens   []string // what else the change opens, a sentence each
	Text    string   // the answer as one sentence for people
}

// A Patch is one operation of RFC 6902.
type Patch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}
