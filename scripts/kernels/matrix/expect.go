package matrix

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
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
	LandlockABI int           `yaml:"landlockABI"` // of the kernel; 0 is none
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
	without := slices.Contains(e.Absent, order.Cgroup)
	if (e.Group == NoGroup) != (e.Limits == nil) || e.Confinement != "" && (e.Group == NoGroup) != without {
		return errors.New("expectation: a group, its limits and the layer cgroup go together")
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
func (e *Expectation) Compare(o *Observed) []string { return differences(e.facts(), o.facts(e)) }

// Undetected are the facts that may be changed in an expectation without a difference: none, where a row can fail.
func (e *Expectation) Undetected(o *Observed) (names []string) {
	got := o.facts(e)
	for name, value := range e.facts() {
		want := e.facts()
		if want[name] = "not " + value; differences(want, got) == nil {
			names = append(names, name)
		}
	}
	return names
}

func differences(want, got map[string]string) (all []string) {
	names := maps.Clone(want)
	maps.Copy(names, got)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if want[name] != got[name] {
			all = append(all, fmt.Sprintf("%s is %q, expected %q", name, got[name], want[name]))
		}
	}
	return all
}

// facts are all that is compared, by name.
func (e *Expectation) facts() map[string]string {
	facts := map[string]string{
		"kernel": e.Kernel, "uid": strconv.Itoa(e.UID), "Landlock ABI": strconv.Itoa(e.LandlockABI), "left behind": "",
	}
	if e.Confinement == "" {
		facts["outcome"], facts["exit status"], facts["the server ran"] = "refused", strconv.Itoa(exitRefused), "false"
		facts["refusing layer"], facts["refused call"] = string(e.Refused.Layer), e.Refused.Op
		facts["errno"], facts["hint"] = strconv.Itoa(e.Refused.Errno), e.Refused.Hint
		return facts
	}
	facts["outcome"], facts["exit status"], facts["the server ran"] = "enforced", "0", "true"
	facts["confinement"], facts["errno of reading the secret"] = e.Confinement, e.denial()
	facts["kernel in the report"], facts["Landlock ABI in the report"] = e.Kernel, facts["Landlock ABI"]
	facts["the server's group"], facts["the group's limits"] = string(e.Group), strings.Join(e.Limits, ", ")
	facts["lacking"] = strings.Join(slices.Sorted(slices.Values(e.Lacking)), ", ")
	facts["without reason or effect"] = ""
	for i, l := range order.Layers() {
		state := order.Proved
		if slices.Contains(e.Absent, l) {
			state = order.Absent
		}
		facts[fmt.Sprintf("layer %d", i)] = fmt.Sprintf("%s %s", l, state)
	}
	return facts
}

// denial is the errno of opening a file that is not granted: a root of its own does not have the file.
func (e *Expectation) denial() string {
	if e.Confinement == full {
		return "ENOENT"
	}
	return "EACCES"
}

// facts are those of an expectation as they were found. Of a kernel's release and of a hint an expectation has a part.
func (o *Observed) facts(e *Expectation) map[string]string {
	part := func(of, expected string, is func(string, string) bool) string {
		if is(of, expected) {
			return expected
		}
		return of
	}
	facts := map[string]string{
		"kernel": part(o.Kernel, e.Kernel, strings.HasPrefix), "uid": strconv.Itoa(o.UID),
		"Landlock ABI": strconv.Itoa(o.LandlockABI), "left behind": strings.Join(o.LeftBehind, " "),
		"exit status": strconv.Itoa(o.Code), "the server ran": strconv.FormatBool(o.Ran),
	}
	if r := o.Refused; r != nil {
		facts["outcome"] = "refused"
		facts["refusing layer"], facts["refused call"] = string(r.Layer), r.Op
		facts["errno"], facts["hint"] = strconv.Itoa(r.Errno), part(r.Hint, e.Refused.Hint, strings.Contains)
	}
	if r := o.Enforced; r != nil {
		facts["outcome"] += "enforced"
		facts["confinement"], facts["errno of reading the secret"] = r.Confinement, o.Secret
		same := func(string, string) bool { return r.Kernel == o.Kernel }
		facts["kernel in the report"] = part(r.Kernel, e.Kernel, same)
		facts["Landlock ABI in the report"] = strconv.Itoa(r.LandlockABI)
		facts["the server's group"], facts["the group's limits"] = string(o.Group), strings.Join(o.Limits, ", ")
		var lacking, silent []string
		expected := e.facts()
		for i, l := range r.Layers {
			name, state := fmt.Sprintf("layer %d", i), fmt.Sprintf("%s %s", l.Layer, l.State)
			if facts[name] = state; state != expected[name] {
				facts[name] += ": " + l.Reason
			}
			if l.State == order.Absent && (l.Reason == "" || l.Effect == "") {
				silent = append(silent, string(l.Layer))
			}
			for _, f := range l.Facts {
				if f.Got != "" || l.State != order.Proved {
					continue
				}
				name := string(l.Layer) + ": " + f.Name
				if lacking = append(lacking, name); f.Reason == "" || f.Effect == "" {
					silent = append(silent, name)
				}
			}
		}
		facts["lacking"] = strings.Join(slices.Sorted(slices.Values(lacking)), ", ")
		facts["without reason or effect"] = strings.Join(silent, ", ")
	}
	return facts
}
