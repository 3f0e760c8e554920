package notice

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// This file: ends that are not the server's own, and early ones.

// Early is how soon after its release a server ends that lacks something.
const Early = 10 * time.Second

// An End is how a server ended.
type End struct {
	*order.Exited
	After  time.Duration // since the release
	Policy *policy.Policy
	Found  Found
	Held   []string // causes that the plan of the files knows

	Unwritable []string // of ReadOnly those that no grant for writing opens
}

// Found is the evidence in the server's own namespaces when all of the server had ended.
type Found struct {
	Network bool // a name or an address was asked for where there is no network
	Files   bool // the private files had no room left
}

// Line is the line about an end that was not the server's own, or that came early in a launch of mcp-sandbox run; ""
// for others.
func (e *End) Line(o *order.Order, first *order.Enforced) string {
	switch limit, _ := e.Policy.Limits.Timeout.Value(); e.Cause {
	case order.CauseTimeout:
		return Timeout(limit, o.NameOf("limits.timeout"))
	case order.CauseCPU:
		return CPUTime
	case order.CauseSupervisorLost:
		return Killed
	case order.CauseSignal, order.CauseExit:
		switch {
		case e.Signal == "SIGKILL":
			return KilledServer
		case o.Guided && e.After < Early && e.ExitCode != 0:
			return e.early(e.causes(o, first))
		}
	}
	return ""
}

// mostCauses is how many causes the line about an early end names.
const mostCauses = 3

// early is the line about an early end.
func (e *End) early(causes []string) string {
	how := "ended with " + strconv.Itoa(e.ExitCode)
	if e.Signal != "" {
		how = "was ended by " + e.Signal
	}
	seconds := strconv.FormatFloat(e.After.Seconds(), 'f', 1, 64)
	text := "the server " + how + " after " + seconds + " s"
	between := ". Not given to it: "
	for i, cause := range causes[:min(len(causes), mostCauses)] {
		if i > 0 && utf8.RuneCountInString(text+between+cause) > Width { // a shortened flag cannot be typed
			break
		}
		text, between = text+between+cause, "; "
	}
	return text // of one that is too wide [Fit] gives the flag a line of its own
}

// causes are the possible causes of an early end, those with evidence first.
func (e *End) causes(o *order.Order, first *order.Enforced) (all []string) {
	add := func(is bool, parts ...string) {
		if is {
			all = append(all, strings.Join(parts, ""))
		}
	}
	l := &e.Policy.Limits
	written := func(key, flag string) string { return " (" + cmp.Or(o.NameOf(key), flag) + ")" }
	memory, finite := l.Memory.Value()
	reached := finite && (e.MemoryPeak >= memory || e.MaxRSS > memory/16*15 || e.aborted() && e.MaxRSS > memory/2)
	add(e.ForksRefused > 0, "more than ", l.Pids.String(), " processes", written("limits.pids", "--pids"))
	add(reached, "more than ", l.Memory.String(), " of memory", written("limits.memory", "--memory"))
	add(e.Signal == "SIGXFSZ", "files of more than ", l.FileSize.String(), written("limits.fileSize", "--file-size"))
	add(e.Found.Files, "more than ", e.Policy.Filesystem.TmpSize.String(), " of private files",
		written("filesystem.tmpSize", "--tmp-size"))
	refused, named := refusedActs(e.Denied)
	all = append(all, refused...)
	add(e.Found.Network && !named, "network (--allow-domain HOST)")
	w := withheldOf(o, first)
	for _, cause := range e.Held {
		add(true, cause)
	}
	add(w.git != "" && len(e.Held) == 0 && NamesGit(o.Command), "writes to .git (", whole(w.git), ")")
	if all == nil { // nothing tells whether the server wanted to write there
		all = e.readOnly(o)
	}
	for _, at := range hiddenOf(o, e.Policy) {
		add(true, name(at, 40), ", which is denied (denyRead)")
	}
	small := finite && !reached && memory < 256<<20
	add(small, "more than ", l.Memory.String(), " of memory", written("limits.memory", "--memory"))
	add(len(w.unset) > 0, "variables ", list(w.unset, ", ", 44), " (not set here)")
	add(len(w.variables) > 0, "variables ", list(w.variables, ", ", 44), " (--env)")
	add(len(w.certificates) > 0 && e.reaches(), "certificates of ", list(w.certificates, ", ", 44),
		" (--env, --allow-read)")
	add(len(w.behind) > 0, list(w.behind, ", ", 44), " behind the command (write it in front)")
	add(w.cwd != "", "working folder")
	add(len(w.arguments) > 0, "argument ", list(w.arguments, ", ", 30))
	said := map[string]bool{"limits.memory": reached || small, "limits.pids": e.ForksRefused > 0,
		"limits.fileSize": e.Signal == "SIGXFSZ"}
	if numbers := numbersOf(o.Named, l, said); len(numbers) > 0 {
		add(true, "more than ", strings.Join(numbers, ", "))
	}
	return all
}

// readOnly are the grants for reading that the command names.
func (e *End) readOnly(o *order.Order) (causes []string) {
	for _, at := range ReadOnly(o, e.Policy) {
		flag := WholeFlag("--allow-write", at)
		if slices.Contains(e.Unwritable, at) {
			flag = ""
		}
		causes = append(causes, Withheld(at, flag))
	}
	return causes
}

// aborted reports whether the server's runtime gave up, as Node.js and C++ do without memory.
func (e *End) aborted() bool { return e.Signal == "SIGABRT" || e.ExitCode == 128+6 }

// reaches reports whether the server had hosts to ask.
func (e *End) reaches() bool {
	return e.Policy.Level == policy.LevelNetwork || len(e.Policy.Network.AllowedDomains) > 0
}

// withheld is the launcher's settings that the server did not get.
type withheld struct {
	variables []string
	unset     []string // variables to forward that are not there
	arguments []string // and variables with paths
	behind    []string // flags of this program among the arguments
	cwd       string   // "" if the server started in the launcher's
	git       string   // the flag that makes a protected .git writable

	certificates []string // variables with a file of certificates
}

// withheldOf reads them from the order and the first line of the report.
func withheldOf(o *order.Order, e *order.Enforced) *withheld {
	w, gits := &withheld{}, 0
	for _, n := range e.Notices {
		switch n.Kind {
		case order.NoticeEnv:
			w.variables = append(w.variables, n.Name)
		case order.NoticeArgument:
			w.arguments = append(w.arguments, n.Name)
		case order.NoticeCwd:
			w.cwd = n.Name
		case order.NoticeBehind:
			if !slices.Contains(w.behind, n.Name) {
				w.behind = append(w.behind, n.Name)
			}
		case order.NoticeUnset:
			w.unset = append(w.unset, n.Name)
		case order.NoticeProtected:
			gits++
			w.git = n.Flag
		}
	}
	if gits > 1 { // which of them the server meant is not known
		w.git = ""
	}
	named := w.variables[:len(w.variables):len(w.variables)] // few, of thousands that may have been dropped
	for _, n := range o.Dropped {
		switch {
		case slices.Contains(named, n):
		case IsCertificate(n):
			w.certificates = append(w.certificates, n)
		case IsSetting(n):
			w.variables = append(w.variables, n)
		}
	}
	return w
}

// numbersOf are the limits that a person named and that a server meets as errors, but for those that were said.
func numbersOf(named []order.Named, l *policy.Limits, said map[string]bool) (all []string) {
	for _, n := range named {
		number, key := "", n.Key
		if said[key] {
			key = ""
		}
		switch key {
		case "limits.memory":
			number = l.Memory.String()
		case "limits.pids":
			number = l.Pids.String()
		case "limits.openFiles":
			number = l.OpenFiles.String()
		case "limits.fileSize":
			number = l.FileSize.String()
		case "limits.addressSpace":
			number = l.AddressSpace.String()
		}
		if number != "" {
			all = append(all, n.Written+" "+number)
		}
	}
	return all
}
