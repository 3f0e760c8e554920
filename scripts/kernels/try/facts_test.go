package try

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// observed is what a guest found, by one way to launch.
type observed struct {
	Kernel      string
	UID         int
	LandlockABI int // as the kernel itself says
	Code        int // exit status of the launcher
	Enforced    *order.Enforced
	Refused     *order.Refused
	Ran         bool   // the server did
	Secret      string // the errno of its attempt to read what it was not granted
	Group       matrix.Group
	Limits      []string
	LeftBehind  []string // control groups, after all was over
}

const full, reduced = "full", "reduced"

// exitRefused is the launcher's when a layer was refused.
const exitRefused = 125

// compare returns every difference, in words; nil if there is none.
func compare(e *matrix.Expectation, o *observed) []string {
	return differences(expected(e), o.facts(e))
}

// undetected are the facts that may be changed in an expectation without a difference: none, where a row can fail.
func undetected(e *matrix.Expectation, o *observed) (names []string) {
	got := o.facts(e)
	for name, value := range expected(e) {
		want := expected(e)
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

// expected are all facts that are compared, by name.
func expected(e *matrix.Expectation) map[string]string {
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
	facts["confinement"], facts["errno of reading the secret"] = e.Confinement, denial(e)
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
func denial(e *matrix.Expectation) string {
	if e.Confinement == full {
		return "ENOENT"
	}
	return "EACCES"
}

// facts are those of an expectation as they were found. Of a kernel's release and of a hint an expectation has a part.
func (o *observed) facts(e *matrix.Expectation) map[string]string {
	part := func(of, wanted string, is func(string, string) bool) string {
		if is(of, wanted) {
			return wanted
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
		wanted := expected(e)
		for i, l := range r.Layers {
			name, state := fmt.Sprintf("layer %d", i), fmt.Sprintf("%s %s", l.Layer, l.State)
			if facts[name] = state; state != wanted[name] {
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

// A diagnosis is what `mcp-sandbox doctor --json` says.
type diagnosis struct {
	Confinement string
	Code        int `json:"-"` // its exit status
}

// compareDiagnosis returns every difference: doctor must promise what a launch then gets. Where launches are refused it
// may name a weaker confinement, and says by its exit status that none starts.
func compareDiagnosis(e *matrix.Expectation, d diagnosis) (all []string) {
	code := 0
	if e.Confinement == "" {
		code = 1
	} else if d.Confinement != e.Confinement {
		all = append(all, fmt.Sprintf("confinement is %s, expected %s", d.Confinement, e.Confinement))
	}
	if d.Code != code {
		all = append(all, fmt.Sprintf("exit status is %d, expected %d", d.Code, code))
	}
	return all
}
