package order

import (
	"crypto/sha256"
	"errors"
	"slices"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// Layer names one of the nine layers of a report, or one of the two other places where a launch can be refused.
type Layer string

// The layers, in the order of a report.
const (
	Descriptors Layer = "descriptors"
	Namespaces  Layer = "namespaces"
	Root        Layer = "root"
	Privileges  Layer = "privileges"
	Limits      Layer = "limits"
	Cgroup      Layer = "cgroup"
	Network     Layer = "network"
	Landlock    Layer = "landlock"
	Seccomp     Layer = "seccomp"

	Policy Layer = "policy" // only in a refusal
	Exec   Layer = "exec"   // only in a refusal
)

// Layers are the nine layers of every report, in its order.
func Layers() [9]Layer {
	return [9]Layer{Descriptors, Namespaces, Root, Privileges, Limits, Cgroup, Network, Landlock, Seccomp}
}

// State is the result for a layer.
type State string

const (
	Proved State = "proved" // every fact was read back, or a forbidden act was refused
	Absent State = "absent" // the machine cannot give it; Reason says why, Effect gives the consequence
	Off    State = "off"    // the policy did not ask for it
)

// A Fact is a demand and the result that was found. A fact without Got is one that the machine cannot give: Reason says
// why, and Effect gives the consequence.
type Fact struct {
	Name   string `json:"name"`
	Want   string `json:"want"`
	Got    string `json:"got,omitempty"`
	Reason string `json:"reason,omitempty"`
	Effect string `json:"effect,omitempty"`
}

// LayerReport is the part of a report about one layer.
type LayerReport struct {
	Layer  Layer  `json:"layer"`
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"`
	Effect string `json:"effect,omitempty"`
	Facts  []Fact `json:"facts,omitempty"`
}

// Enforced is the first line of a report: the state of each layer, before the server is released.
type Enforced struct {
	Event          string        `json:"event"`
	Version        int           `json:"version"`
	Time           time.Time     `json:"time,omitzero"` // of the record
	ID             string        `json:"id,omitempty"`  // of the launch: a random one, the same in all its records
	Level          string        `json:"level"`
	Confinement    string        `json:"confinement"`
	MinConfinement string        `json:"minConfinement"`
	PolicySHA256   string        `json:"policySHA256"`
	Command        []string      `json:"command"`
	PID            int           `json:"pid"`
	Kernel         string        `json:"kernel"`
	LandlockABI    int           `json:"landlockABI"`
	ImpliedGrants  []string      `json:"impliedGrants"`
	Protected      []string      `json:"protected"`
	Unprotected    []string      `json:"unprotected"`
	EnvDropped     []string      `json:"envDropped"`
	Layers         []LayerReport `json:"layers"`
	State          string        `json:"state,omitempty"`   // the name of the home that lasts; "" if there is none
	Profile        string        `json:"profile,omitempty"` // the id of the policy's profile; "" if there is none
	Package        *PackageID    `json:"package,omitempty"` // that the command belongs to; nil if there is none
	Publish        []string      `json:"publish,omitempty"` // as ADDRESS:HOSTPORT:PORT
	Notices        []Notice      `json:"notices"`
	Warnings       []string      `json:"warnings"`
}

// FactDomains is the fact, of layer network, that a list of hosts opens none.
const FactDomains = "allowed domains"

// Layer is the entry of a layer, or an empty one.
func (e *Enforced) Layer(name Layer) *LayerReport {
	for i := range e.Layers {
		if e.Layers[i].Layer == name {
			return &e.Layers[i]
		}
	}
	return &LayerReport{Layer: name}
}

// Fact is the first fact that is so, or nil.
func (l *LayerReport) Fact(is func(*Fact) bool) *Fact {
	for i := range l.Facts {
		if is(&l.Facts[i]) {
			return &l.Facts[i]
		}
	}
	return nil
}

// Conclude sets the layer's state by its facts: proved if any of them holds, else absent, for the first one's reason.
func (l *LayerReport) Conclude() {
	if l.Fact(func(f *Fact) bool { return f.Got != "" }) != nil {
		l.State = Proved
		return
	}
	l.State = Absent
	if l.Reason == "" && len(l.Facts) > 0 {
		l.Reason, l.Effect = l.Facts[0].Reason, l.Facts[0].Effect
	}
}

// NewEnforced is the first line as far as the order tells it.
func NewEnforced(o *Order, p *policy.Policy, reached policy.Confinement) *Enforced {
	sum := sha256.Sum256(o.Policy)
	return &Enforced{Event: "enforced", Version: 1, Level: string(p.Level), Confinement: string(reached),
		MinConfinement: string(p.MinConfinement), PolicySHA256: Hex(sum[:]),
		Command: o.Command, EnvDropped: o.Dropped, State: p.State, Profile: o.Profile, Package: o.Package,
		Warnings: slices.Clone(o.Opens)}
}

// Hex is data in lower-case digits. Package encoding/hex would link fmt.
func Hex(data []byte) string {
	const digits = "0123456789abcdef"
	text := make([]byte, 0, 2*len(data))
	for _, b := range data {
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}

// Refused is the only line of a report when the server was not started.
type Refused struct {
	Event string `json:"event"`
	Layer Layer  `json:"layer"`
	Op    string `json:"op"`
	Path  string `json:"path,omitempty"`
	Error string `json:"error"`
	Errno int    `json:"errno,omitempty"`
	Hint  string `json:"hint,omitempty"`

	Time time.Time `json:"time,omitzero"`
	ID   string    `json:"id,omitempty"`
}

// NewRefused is the record of a launch that came to err.
func NewRefused(err error) *Refused {
	r := &Refused{Event: "refused", Layer: Exec, Op: "start", Error: err.Error()}
	if refusal := (*Refusal)(nil); errors.As(err, &refusal) {
		r.Layer, r.Op, r.Path, r.Error = refusal.Layer, refusal.Op, refusal.Path, refusal.Err.Error()
	}
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		r.Errno = int(errno)
	}
	return r
}

// Exited is the last line of a report: how the server ended.
type Exited struct {
	Event        string    `json:"event"`
	Time         time.Time `json:"time,omitzero"`
	ID           string    `json:"id,omitempty"`
	Cause        Cause     `json:"cause"`
	ExitCode     int       `json:"exitCode"`
	Signal       string    `json:"signal"` // "SIGTERM", or empty
	Killed       int       `json:"killed"` // processes that had to be killed
	WallSeconds  float64   `json:"wallSeconds"`
	CPUSeconds   float64   `json:"cpuSeconds"`             // user and system time of the whole tree
	MaxRSS       int64     `json:"maxRSS"`                 // bytes, the largest single process
	MemoryLimit  int64     `json:"memoryLimit,omitempty"`  // bytes, of all processes together
	MemoryPeak   int64     `json:"memoryPeak,omitempty"`   // bytes, the most that all of them had at once; Linux 5.19
	ForksRefused int64     `json:"forksRefused,omitempty"` // because of limits.pids
	Appeared     []string  `json:"appeared,omitempty"`     // protected paths that did not exist before and do now

	Denied  []DeniedCount `json:"denied,omitempty"`  // the most frequent first
	Egress  []Egress      `json:"egress,omitempty"`  // by name and port
	Dropped int64         `json:"dropped,omitempty"` // lines of the report that were left out: too many, or no room
}

// Cause says why the server ended.
type Cause string

const (
	CauseExit           Cause = "exit"
	CauseSignal         Cause = "signal"
	CauseTimeout        Cause = "timeout"
	CauseCPU            Cause = "cpu"
	CauseOOM            Cause = "oom"
	CauseStdinClosed    Cause = "stdin-closed"
	CauseHostGone       Cause = "host-gone"
	CauseCancelled      Cause = "cancelled"
	CauseSupervisorLost Cause = "supervisor-lost"
	CausePolicyLost     Cause = "policy-lost"
)
