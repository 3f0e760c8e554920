package matrix

import (
	"errors"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// EnvName is the variable that carries a row's expectation into the guest, as JSON.
const EnvName = "MCP_SANDBOX_EXPECT"

// An Expectation is what a row says of its machine: everything in it is compared, and an empty list is a claim too.
type Expectation struct {
	Kernel      string        // what its release begins with
	UID         int           // of the launcher
	Place       job.Place     // where the launcher is started
	LandlockABI int           `yaml:"landlockABI"` // of the kernel; 0 is none
	Confinement string        // that a launch reaches; "" where it is refused
	Listed      string        // that one with allowed domains reaches, where it is another; or a part of its refusal
	Absent      []order.Layer // the layers that are absent; all others must be proved
	Lacking     []string      // "layer: name" of every fact that could not be had in a layer that is proved
	Group       Group         // the server's control group
	Limits      []string      // "file value" of the limits that the group has
	Refused     Refusal       // the zero value: a launch must not be refused
}

// A Refusal is why a launch must be refused. The server must not have run.
type Refusal struct {
	Layer order.Layer
	Op    string
	Errno int
	Hint  string // a part of it
}

// Check is the error of an expectation itself.
func (e *Expectation) Check() error {
	if e.Kernel == "" || (e.Confinement == "") == (e.Refused == Refusal{}) {
		return errors.New("expectation: it names no kernel, or not one of confinement and refusal")
	}
	without := slices.Contains(e.Absent, order.Cgroup)
	if (e.Group == NoGroup) != (e.Limits == nil) || e.Confinement != "" && (e.Group == NoGroup) != without {
		return errors.New("expectation: a group, its limits and the layer cgroup go together")
	}
	if r := e.Refused; r != (Refusal{}) && (r.Layer == "" || r.Op == "" || r.Errno == 0 || r.Hint == "") {
		return errors.New("expectation: a refusal names its layer, call, errno and hint")
	}
	return nil
}

// A Group is the way in which a server came into a control group of its own; design.md has three.
type Group string

const (
	NoGroup        Group = ""             // it is in the launcher's
	DelegatedGroup Group = "delegated"    // below a group that belongs to the launcher's user
	ManagerGroup   Group = "user manager" // in a scope that systemd's user manager made
	RootGroup      Group = "made by root" // right below the top
	StrangeGroup   Group = "somewhere else"
)
