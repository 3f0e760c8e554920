package matrix

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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
	LandlockABI int           // of the kernel; 0 is none
	Confinement string        // that a launch reaches; "" where it is refused
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

// Check says what is wrong with an expectation itself.
func (e *Expectation) Check() error {
	if e.Kernel == "" || (e.Confinement == "") == (e.Refused == Refusal{}) {
		return errors.New("expectation: it names no kernel, or not one of confinement and refusal")
	}
	if (e.Group == NoGroup) != (e.Limits == nil) || e.Confinement != "" && (e.Group == NoGroup) != slices.Contains(e.Absent, order.Cgroup) {
		return errors.New("expectation: a group has limits and makes the layer cgroup proved, and all or none of it is expected")
	}
	if r := e.Refused; r != (Refusal{}) && (r.Layer == "" || r.Op == "" || r.Errno == 0 || r.Hint == "") {
		return errors.New("expectation: a refusal names its layer, call, errno and hint")
	}
	return nil
}

// Observed is what a guest found, by one way to launch.
type Observed struct {
	Kernel      string
	UID         int
	LandlockABI int // as the kernel itself says
	Code        int // exit status of the launcher
	Enforced    *order.Enforced
	Refused     *order.Refused
	Ran         bool   // the server did
	Secret      string // the errno of its attempt to read what it was not granted
	Group       Group
	Limits      []string
	LeftBehind  []string // control groups, after all was over
}

const full, reduced = "full", "reduced"

// exitRefused is the launcher's when a layer was refused.
const exitRefused = 125

// Compare returns every difference, in words; nil if there is none.
func (e *Expectation) Compare(o *Observed) []string {
	var all []string
	differs := func(what string, got, want any) {
		all = append(all, fmt.Sprintf("%s is %v, expected %v", what, got, want))
	}
	same := func(what string, got, want any) {
		if got != want {
			differs(what, got, want)
		}
	}
	if !strings.HasPrefix(o.Kernel, e.Kernel) {
		differs("kernel", o.Kernel, e.Kernel+"…")
	}
	same("uid", o.UID, e.UID)
	same("Landlock ABI", o.LandlockABI, e.LandlockABI)
	same("enforced", o.Enforced != nil, e.Confinement != "")
	same("refused", o.Refused != nil, e.Confinement == "")
	same("the server ran", o.Ran, e.Confinement != "")
	if len(o.LeftBehind) > 0 {
		differs("what is left behind", o.LeftBehind, "nothing")
	}
	if r := o.Refused; r != nil {
		same("exit status", o.Code, exitRefused)
		same("refusing layer", r.Layer, e.Refused.Layer)
		same("refused call", r.Op, e.Refused.Op)
		same("errno", r.Errno, e.Refused.Errno)
		if !strings.Contains(r.Hint, e.Refused.Hint) {
			differs("hint", r.Hint, "…"+e.Refused.Hint+"…")
		}
	}
	if r := o.Enforced; r != nil {
		same("exit status", o.Code, 0)
		same("confinement", r.Confinement, e.Confinement)
		same("Landlock ABI in the report", r.LandlockABI, e.LandlockABI)
		same("kernel in the report", r.Kernel, o.Kernel)
		same("errno of reading the secret", o.Secret, e.denial())
		same("the server's group", o.Group, e.Group)
		if !slices.Equal(o.Limits, e.Limits) {
			differs("the group's limits", o.Limits, e.Limits)
		}
		all = append(all, e.layers(r.Layers)...)
	}
	return all
}

// denial is how the kernel answers who opens what is not granted: in a root of its own it is not there.
func (e *Expectation) denial() string {
	if e.Confinement == full {
		return "ENOENT"
	}
	return "EACCES"
}

// layers compares the state of each layer, and what is lacking in those that are proved.
func (e *Expectation) layers(found []order.LayerReport) []string {
	var all, lacking []string
	names := order.Layers()
	if len(found) != len(names) {
		return []string{fmt.Sprintf("the report has %d layers, expected %d", len(found), len(names))}
	}
	for i := range found {
		l, want := &found[i], order.Proved
		if slices.Contains(e.Absent, l.Layer) {
			want = order.Absent
		}
		if l.Layer != names[i] || l.State != want {
			all = append(all, fmt.Sprintf("layer %s is %s (%s), expected %s %s", l.Layer, l.State, l.Reason, names[i], want))
		}
		if l.State == order.Absent && (l.Reason == "" || l.Effect == "") {
			all = append(all, fmt.Sprintf("layer %s is absent without reason and effect", l.Layer))
		}
		for _, f := range l.Facts {
			if f.Got == "" && l.State == order.Proved {
				lacking = append(lacking, string(l.Layer)+": "+f.Name)
				if f.Reason == "" || f.Effect == "" {
					all = append(all, fmt.Sprintf("fact %s: %s is lacking without reason and effect", l.Layer, f.Name))
				}
			}
		}
	}
	want := slices.Sorted(slices.Values(e.Lacking))
	slices.Sort(lacking)
	if !slices.Equal(lacking, want) {
		all = append(all, fmt.Sprintf("lacking is %q, expected %q", lacking, want))
	}
	return all
}
