package notice

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// This file: layers, limits and keys that hold less than asked.

// NothingConfined is the line of every launch of level privileged.
const NothingConfined = "level privileged: NOTHING IS CONFINED; the server can do all that its user can"

// NoBarrier is the line of a system that has limits alone. elsewhere is where the server could be confined.
func NoBarrier(elsewhere string) string {
	return "confinement limits is no barrier: the server reads, writes and reaches what you can; " +
		"for more run it in a " + elsewhere
}

// Lowered is a confinement lower than full. why is the refused step.
func Lowered(c policy.Confinement, level policy.Level, why string) string {
	holds := "files and network are held"
	switch {
	case c != policy.Reduced:
		holds = "files and network are not held"
	case level == policy.LevelNetwork:
		holds = "files are held"
	}
	start, end := "confinement "+string(c)+": this machine refused ", "; "+holds+" (mcp-sandbox doctor has the fix)"
	return line(start, text.Short(why, Width-len(start)-len(end), text.Begin), end)
}

// NothingHolds is the line about keys of a policy that nothing enforces, while its server starts all the same.
func NothingHolds(keys []string) string {
	return line("nothing holds ", list(keys, ", ", 110), " here: minConfinement was written out")
}

// Limits is the line about limits that a person named and that do not hold as a whole; "" if they do.
func Limits(named []order.Named, e *order.Enforced) string {
	var each, none []string
	reason := ""
	for _, n := range named {
		controller, grouped := strings.CutPrefix(n.Key, "limits.")
		if controller != "cpu" && controller != "memory" && controller != "pids" && controller != "io" {
			grouped = false
		}
		why, lost := "", false
		if grouped {
			why, lost = lostGroup(e.Layer(order.Cgroup), controller)
		}
		if !lost {
			continue
		}
		switch {
		case controller == "memory":
			each, reason = append(each, n.Written), why
		case controller != "pids" || !hasFact(e.Layer(order.Limits), "processes"):
			none, reason = append(none, n.Written), why
		}
	}
	var parts []string
	if len(each) > 0 {
		parts = append(parts, strings.Join(each, ", ")+" holds for each process, not for all together")
	}
	if len(none) > 0 {
		parts = append(parts, strings.Join(none, ", ")+" does not hold")
	}
	if len(parts) == 0 {
		return ""
	}
	return line(strings.Join(parts, "; "), ": ", reason)
}

// TmpSize is the line about a size of private files that a person named and that does not hold; "" if it does.
func TmpSize(named []order.Named, e *order.Enforced) string {
	for _, n := range named {
		if n.Key == "filesystem.tmpSize" && e.Confinement != string(policy.Full) {
			return line(n.Written, " does not hold: private files lie on this machine's own file systems")
		}
	}
	return ""
}

// noGroup is where all limits of a group are missing.
const noGroup = "no control group can be made here (mcp-sandbox doctor says how)"

// lostGroup says why a control group does not hold a controller's limit.
func lostGroup(l *order.LayerReport, controller string) (reason string, lost bool) {
	if l.State == order.Absent && len(l.Facts) == 0 {
		return noGroup, true
	}
	for _, f := range l.Facts {
		if f.Got == "" && strings.HasPrefix(f.Name, controller+".max") {
			return f.Reason + " (mcp-sandbox doctor says more)", true
		}
	}
	return "", false
}

// hasFact reports whether a fact was proved.
func hasFact(l *order.LayerReport, name string) bool {
	for _, f := range l.Facts {
		if f.Got != "" && (f.Name == name || strings.HasPrefix(f.Name, name+" (")) {
			return true
		}
	}
	return false
}

// Whole is the whole first line of the report, for --verbose.
func Whole(e *order.Enforced) []string {
	lines := []string{"confinement " + e.Confinement + " (at least " + e.MinConfinement + " was asked for), level " +
		e.Level + ", process " + strconv.Itoa(e.PID)}
	if p := e.Package; p != nil {
		lines = append(lines, "package "+p.Name+" "+p.Version+" of "+p.Registry+", "+p.Integrity)
	}
	if e.Profile != "" {
		lines = append(lines, "profile "+e.Profile+" is part of the policy (--profile none leaves it out)")
	}
	for _, p := range e.Publish {
		lines = append(lines, "published: "+p)
	}
	for i := range e.Layers {
		l := &e.Layers[i]
		if l.State == order.Absent {
			lines = append(lines, string(l.Layer)+" is absent: "+l.Reason+"; "+l.Effect)
			continue
		}
		lines = append(lines, string(l.Layer)+" is "+string(l.State))
		for _, f := range l.Facts {
			if f.Got == "" {
				lines = append(lines, string(l.Layer)+": no "+f.Name+": "+f.Reason+"; "+f.Effect)
			}
		}
	}
	return append(lines, e.Warnings...)
}
