package launcher

import (
	"context"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Machine is what confinement this machine gives, as trials showed. As JSON it is what "mcp-sandbox doctor --json" prints.
type Machine struct {
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel"` // its release

	// Confinement is what a server of level standard gets; where none may start, the most that could be built and proved
	// for one that asks for less; policy.None if nothing could.
	Confinement policy.Confinement `json:"confinement"`
	// Checks are the single things, in the order in which a person should read them.
	Checks []Check `json:"checks"`

	// Layers is the evidence behind Confinement; empty if there is none.
	Layers []order.LayerReport `json:"-"`
	// Refused is why a server of level standard cannot start; nil if it can.
	Refused *Error `json:"-"`
}

// A Check is what came of trying one thing.
type Check struct {
	Name   string     `json:"name"`
	State  CheckState `json:"state"`
	Detail string     `json:"detail"` // one line
	Fix    string     `json:"fix"`    // what to do about it, in one or more lines; "" where there is nothing to do
}

// CheckState says how far a thing works.
type CheckState string

// The states of a Check.
const (
	Works   CheckState = "ok"
	Limited CheckState = "limited" // less than there could be; servers run
	Missing CheckState = "missing"
)

// Probe finds out what this machine can do. It asks no version number and no file: it builds the confinement of level
// standard around a process of its own, proves it and takes it down again, and lets one process with a daemon run into a time
// limit. What was refused it tries in parts, in processes that are thrown away. That takes half a second, or some. The error is one of the trials
// themselves, not of what they found.
func Probe(ctx context.Context) (*Machine, error) {
	if err := privileged(); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := find(ctx, self)
	if err != nil {
		return nil, err
	}
	return f.machine(), nil
}
