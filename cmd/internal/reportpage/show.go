package reportpage

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// maxListed is how many entries of a list are shown; --json has all of them.
const maxListed = 40

// Show prints the launch as people read it.
func (r *Reading) Show(p page.Printer) {
	p.Sections(append(r.launch(), page.Section{Title: "This file", Lines: r.file()}))
}

func (r *Reading) launch() []page.Section {
	if r.Refused != nil {
		return []page.Section{{Title: "Refused: the server has not run", Lines: r.refusal()}}
	}
	return []page.Section{
		{Title: "Started", Lines: r.start()},
		{Title: "Files of the host", Lines: r.files()},
		{Title: "Proved before the server ran: read back from the kernel, or tried and found refused",
			Lines: page.Layers(first(r.Enforced.Layers))},
		{Title: "Noted", Lines: r.notes()},
		{Title: "Denied while the server ran", Lines: r.denials()},
		{Title: "Reached", Lines: r.reached()},
		{Title: "Ended", Lines: r.end()},
	}
}

// first are the entries of a list that are shown.
func first[T any](list []T) []T { return list[:min(len(list), maxListed)] }

// labelled is a line for each entry of a list that is shown, with the label in front of the first.
func labelled(label string, list []string) (lines [][]page.Cell) {
	for _, text := range first(list) {
		lines = append(lines, []page.Cell{{Text: label}, {Text: text}})
		label = ""
	}
	if more := len(list) - maxListed; more > 0 {
		lines = append(lines, []page.Cell{{}, {Text: "and " + strconv.Itoa(more) + " more, which --json has"}})
	}
	return lines
}

// line is a label and a text; no line where there is no text.
func line(label, text string) [][]page.Cell {
	if text == "" {
		return nil
	}
	return [][]page.Cell{{{Text: label}, {Text: text}}}
}

func join(lines ...[][]page.Cell) (all [][]page.Cell) {
	for _, l := range lines {
		all = append(all, l...)
	}
	return all
}

func (r *Reading) refusal() [][]page.Cell {
	x := r.Refused
	return join(line("time", moment(x.Time)), line("launch", x.ID), line("layer", string(x.Layer)), line("while", x.Op),
		line("on", x.Path), line("error", x.Error), line("what to do", x.Hint))
}

func (r *Reading) start() [][]page.Cell {
	e := r.Enforced
	confinement := page.Cell{Text: e.Confinement + " (at least " + e.MinConfinement + " was asked for)"}
	if e.Confinement != "full" {
		confinement.Style = page.Yellow
	}
	kernel := e.Kernel
	if e.LandlockABI > 0 {
		kernel += ", Landlock ABI " + strconv.Itoa(e.LandlockABI)
	}
	return join(line("time", moment(e.Time)), line("launch", e.ID), line("command", command(e.Command)),
		line("process", strconv.Itoa(e.PID)), line("level", e.Level),
		[][]page.Cell{{{Text: "confinement"}, confinement}}, line("kernel", kernel),
		line("policy", "SHA-256 "+e.PolicySHA256), line("home kept as", e.State), line("profile", e.Profile),
		installed(e.Package))
}

// command is the command line with words quoted that have spaces.
func command(words []string) string {
	var b strings.Builder
	for i, word := range first(words) {
		if i > 0 {
			b.WriteByte(' ')
		}
		if word == "" || strings.ContainsAny(word, " \t'\"") {
			word = strconv.Quote(word)
		}
		b.WriteString(word)
	}
	if len(words) > maxListed {
		b.WriteString(" …")
	}
	return b.String()
}

func (r *Reading) notes() [][]page.Cell {
	e := r.Enforced
	return join(labelled("warning", e.Warnings), labelled("visible too", e.ImpliedGrants),
		labelled("protected", e.Protected), labelled("unprotected", e.Unprotected),
		line("not forwarded", strings.Join(first(e.EnvDropped), " ")), beyond("", e.EnvDropped))
}

// beyond says how many entries of a list that is one line are not shown.
func beyond(label string, list []string) [][]page.Cell {
	if len(list) <= maxListed {
		return nil
	}
	return line(label, "and "+strconv.Itoa(len(list)-maxListed)+" more, which --json has")
}

// act is what was refused, in words.
func act(a *order.Act) string {
	if a.Syscall != "" {
		return a.Syscall
	}
	text := cmp.Or(a.Host, a.Address)
	if a.Port != 0 {
		text += ":" + strconv.Itoa(int(a.Port))
	}
	if a.Asked != "" {
		text += " for " + a.Asked
	}
	return strings.TrimSpace(string(a.Kind) + " " + text)
}

// denials are the counts of the last line, or the records where there is none.
func (r *Reading) denials() (lines [][]page.Cell) {
	if r.Exited != nil && len(r.Exited.Denied) > 0 {
		for _, d := range first(r.Exited.Denied) {
			lines = append(lines, []page.Cell{{Text: act(&d.Act)}, {Text: strconv.FormatInt(d.Count, 10) + " times"},
				{Text: d.Flag}})
		}
		return lines
	}
	for i := range first(r.Denied) {
		d := &r.Denied[i]
		how := d.Errno
		if d.PID != 0 {
			how += ", process " + strconv.Itoa(d.PID)
		}
		lines = append(lines, []page.Cell{{Text: moment(d.Time)}, {Text: act(&d.Act)}, {Text: how}, {Text: d.Flag}})
	}
	if more := len(r.Denied) - maxListed + r.more; more > 0 && len(r.Denied) > maxListed {
		lines = append(lines, []page.Cell{{}, {}, {Text: "and " + strconv.Itoa(more) + " more"}})
	}
	return lines
}

func (r *Reading) end() [][]page.Cell {
	x := r.Exited
	if x == nil {
		return [][]page.Cell{{{Text: "unknown"}, {Text: "the report has no last line: the server still runs, " +
			"the file was cut off, or mcp-sandbox was killed", Style: page.Yellow}}}
	}
	style := page.Plain
	if x.Cause != order.CauseExit || x.ExitCode != 0 {
		style = page.Yellow
	}
	how := cause(x)
	if x.Signal != "" {
		how += ", by " + x.Signal
	}
	lines := [][]page.Cell{{{Text: "how"}, {Text: how, Style: style}}}
	lines = append(lines, join(line("time", moment(x.Time)),
		line("exit status", strconv.Itoa(x.ExitCode)),
		line("ran for", fmt.Sprintf("%.3f s, %.3f s of them on a processor", x.WallSeconds, x.CPUSeconds)),
		line("memory", memory(x)))...)
	if x.Killed > 0 {
		lines = append(lines, line("killed", strconv.Itoa(x.Killed)+" processes that were left")...)
	}
	if x.Dropped > 0 {
		lines = append(lines, line("left out", strconv.FormatInt(x.Dropped, 10)+" denied records")...)
	}
	return append(lines, labelled("appeared", x.Appeared)...)
}

func memory(x *order.Exited) string {
	text := fmt.Sprintf("%.1f MiB, the largest process", float64(x.MaxRSS)/(1<<20))
	if x.MemoryPeak > 0 {
		text += fmt.Sprintf("; %.1f MiB, all together", float64(x.MemoryPeak)/(1<<20))
	}
	return text
}

// cause says a cause in words.
func cause(x *order.Exited) string {
	switch x.Cause {
	case order.CauseExit:
		return "the server ended by itself"
	case order.CauseSignal:
		return "a signal ended the server"
	case order.CauseTimeout:
		return "the time limit was over (limits.timeout)"
	case order.CauseCPU:
		return "the processor time was used up (limits.cpu with limits.timeout)"
	case order.CauseOOM:
		return "the memory was used up (limits.memory)"
	case order.CauseStdinClosed:
		return "the client closed the server's standard input (onStdinClose)"
	case order.CauseHostGone:
		return "the program that started mcp-sandbox ended (onHostExit)"
	case order.CauseCancelled:
		return "mcp-sandbox was asked to end"
	case order.CauseSupervisorLost:
		return "a process of the sandbox was killed from outside"
	case order.CausePolicyLost:
		return "the policy could no longer be held, and the server was ended"
	}
	return string(x.Cause)
}

// file says what is odd about the file.
func (r *Reading) file() (lines [][]page.Cell) {
	if r.earlier > 0 {
		lines = append(lines, line("earlier", "launches before this one, which are not shown: "+
			strconv.Itoa(r.earlier))...)
	}
	if r.foreign > 0 {
		lines = append(lines, line("unreadable", "lines that are no records of this launch, or were cut off: "+
			strconv.Itoa(r.foreign))...)
	}
	return lines
}

// moment is a time in UTC, as reports have it.
func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04:05.000 UTC")
}
