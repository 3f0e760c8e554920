package order

import (
	"errors"
	"net/netip"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

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

	// Found are the addresses to which Host leads, as far as the caller has looked the name up. Without them the answer
	// is that of the name alone.
	Found []netip.Addr
}

// IsZero reports whether nothing is asked.
func (q *Question) IsZero() bool {
	return q.Path == "" && q.Op == "" && q.Socket == "" && q.Host == "" && q.Port == 0 && q.Syscall == "" &&
		q.Variable == ""
}

// An Op is the operation that a question asks about for a path.
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

// A Reason is the reason for which an act is denied.
type Reason string

// The reasons.
const (
	ByPolicy      Reason = "policy"
	ByPermissions Reason = "permissions" // the file's own, whatever the policy says
	ByMissing     Reason = "missing"     // does not exist on the host either
)

// NoEntry is the By of an Answer where no entry of the policy decides.
const NoEntry = "default"

// A Sight is the kind of file that the server finds at a path.
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
	Allowed Allowance `json:"allowed"`
	Reason  Reason    `json:"reason,omitempty"` // "" where allowed
	By      string    `json:"by"`               // a JSON pointer to the policy's entry, or NoEntry
	Seen    Sight     `json:"seen,omitempty"`   // of a path or socket
	OnHost  bool      `json:"onHost"`           // the path exists on the host, the variable where the launcher starts
	// Flags are the smallest change as flags of run; nil where none helps, or only a removal.
	Flags []string `json:"flags"`
	Patch []Patch  `json:"patch"` // the same as RFC 6902, to be applied to the policy's document
	Opens []string `json:"opens"` // the other access that the change opens, a sentence each
	Text  string   `json:"-"`     // the answer as one sentence for people
}

// Proved is the answer about a host that a proved launch gives whatever the policy says: its list of hosts opens none,
// or, without a filter and namespaces, nothing is held back. ok is false elsewhere.
func (q *Question) Proved(proved *Enforced) (a Answer, ok bool) {
	if q.Host == "" {
		return a, false
	}
	if proved.Confinement == string(policy.ConfinementLimits) && proved.Layer(Seccomp).State == Absent {
		return Answer{Allowed: ActAllowed, By: NoEntry, Opens: []string{},
			Text: q.Host + " is held back by nothing: " + proved.Layer(Seccomp).Reason}, true
	}
	f := proved.Layer(Network).Fact(func(f *Fact) bool { return f.Name == FactDomains })
	if f == nil {
		return a, false
	}
	return Answer{Allowed: ActDenied, Reason: ByPolicy, By: NoEntry, Opens: []string{},
		Text: q.Host + " is out of reach: " + f.Reason + ": " + f.Effect}, true
}

// MarshalJSON is true, false or "depends".
func (a Allowance) MarshalJSON() ([]byte, error) {
	switch a {
	case ActAllowed:
		return []byte("true"), nil
	case ActDenied:
		return []byte("false"), nil
	}
	return []byte(`"` + string(ActDepends) + `"`), nil
}

// UnmarshalJSON is the reverse.
func (a *Allowance) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true":
		*a = ActAllowed
	case "false":
		*a = ActDenied
	case `"depends"`:
		*a = ActDepends
	default:
		return errors.New("allowed: " + string(b) + " is none of true, false and \"depends\"")
	}
	return nil
}

// A Patch is one operation of RFC 6902.
type Patch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Check is the error of a question that has no answer.
func (q *Question) Check() error {
	asked := 0
	for _, word := range [...]string{q.Path, q.Socket, q.Host, q.Syscall, q.Variable} {
		if word != "" {
			asked++
		}
		if strings.IndexByte(word, 0) >= 0 {
			return errors.New("why: a NUL byte, which no path and no name has")
		}
	}
	switch {
	case asked != 1:
		return errors.New("why: one question at a time, about a path, a socket, a host, a system call or a variable")
	case q.Path != "" && q.Path[0] != '/', q.Socket != "" && q.Socket[0] != '/':
		return errors.New("why: " + q.Path + q.Socket + ": no absolute path")
	case q.Path == "" && q.Op != "":
		return errors.New("why: an op is one of a path")
	case q.Path != "" && q.Op != OpRead && q.Op != OpWrite && q.Op != OpExec:
		return errors.New("why: " + string(q.Op) + " is none of read, write and exec")
	}
	return nil
}
