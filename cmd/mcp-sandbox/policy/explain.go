package policy

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A checked is the result of policy check as programs read it.
type checked struct {
	Valid    bool             `json:"valid"`
	Errors   []mistake        `json:"errors"`
	Verdict  *explain.Verdict `json:"verdict"`
	Warnings []explain.Line   `json:"warnings"`
}

// A mistake is one thing that is wrong with a policy. Of an error that is not of the document's Pointer is "".
type mistake struct {
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

func check(f *cli.Flags, json bool, args []string) int {
	file, err := cli.File(args, true)
	if err != nil {
		return cli.UsageError("policy check", err.Error())
	}
	src := launchflags.Source{File: file, FD: -1}
	e, err := judged(src)
	if err != nil {
		if json {
			cli.ShowJSON(checked{Errors: mistakes(err), Warnings: []explain.Line{}})
		}
		return cli.Fail(src.Lines(err, nil)...)
	}
	if json {
		return cli.ShowJSON(checked{true, []mistake{}, &e.Verdict, e.Warnings()})
	}
	warn(src, e.Warnings())
	return 0
}

// mistakes are what is wrong with a document, or with its file.
func mistakes(err error) (all []mistake) {
	errs, ok := errors.AsType[policy.Errors](err)
	if !ok {
		return []mistake{{"", err.Error()}}
	}
	for _, e := range errs {
		all = append(all, mistake{e.Pointer, e.Msg})
	}
	return all
}

// warn says what of a policy is wide or dangerous, one thing a line.
func warn(src launchflags.Source, lines []explain.Line) {
	const most = 20
	for _, l := range lines[:min(most, len(lines))] {
		reexec.Say(src.String() + ": " + l.String())
	}
	if n := len(lines) - most; n > 0 {
		reexec.Say(src.String() + ": " + strconv.Itoa(n) + " more are wide or dangerous: mcp-sandbox policy explain " +
			text.Shell(src.String()))
	}
}

func explainPolicy(f *cli.Flags, json bool, args []string) int {
	file, err := cli.File(args, true)
	if err != nil {
		return cli.UsageError("policy explain", err.Error())
	}
	src := launchflags.Source{File: file, FD: -1}
	e, err := judged(src)
	if err != nil {
		return cli.Fail(src.Lines(err, nil)...)
	}
	if json {
		return cli.ShowJSON(e)
	}
	p := page.Printer{Colour: page.IsTerminal(os.Stdout), Width: page.TerminalWidth(os.Stdout)}
	return cli.Show(explanation(&e, p))
}

// explanation is a policy's lines as a person reads them, and the whole policy's below.
func explanation(e *explain.Explanation, p page.Printer) string {
	var b strings.Builder
	own, defaults := page.Section{Title: "What the policy says"}, page.Section{Title: "What holds by default"}
	for _, l := range e.Lines {
		to := &own
		if l.Default && l.Verdict == explain.Safe {
			to = &defaults
		} else if l.Default {
			l.Text += " (default)"
		}
		to.Lines = append(to.Lines, []page.Cell{verdict(l.Verdict), {Text: shortPointer(l.Pointer)}, {Text: l.Text}})
	}
	p.W = &b
	p.Sections([]page.Section{own, defaults})
	b.WriteString("\n")
	whole := "the whole policy: " + e.Verdict.Means() + first(e) + counts(e)
	p.Columns([][]page.Cell{{verdict(e.Verdict), {Text: whole}}})
	return b.String()
}

// verdict is a verdict's word with the verdict's colour.
func verdict(v explain.Verdict) page.Cell {
	style := page.Plain
	switch v {
	case explain.Safe:
		style = page.Green
	case explain.Wide:
		style = page.Yellow
	case explain.Dangerous:
		style = page.Red
	}
	return page.Cell{Text: v.String(), Style: style}
}

// first names the entries that make a policy wide or dangerous: of a long page people see the end.
func first(e *explain.Explanation) string {
	const most = 3
	var pointers []string
	for _, l := range e.Warnings() {
		if l.Verdict == e.Verdict && len(pointers) < most && !slices.Contains(pointers, shortPointer(l.Pointer)) {
			pointers = append(pointers, shortPointer(l.Pointer))
		}
	}
	if len(pointers) == 0 {
		return ""
	}
	return "; look at " + strings.Join(pointers, ", ")
}

// counts says how many lines there are of each verdict.
func counts(e *explain.Explanation) string {
	var parts []string
	for _, v := range []explain.Verdict{explain.Dangerous, explain.Wide, explain.Note, explain.Safe} {
		if n := e.Count(v); n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+v.String())
		}
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// explainHelp is the help of the command. The verdicts are those of package explain.
func explainHelp() string {
	var b strings.Builder
	b.WriteString(`Prints a sentence for each entry of FILE and for each default that matters: what the
server can then read, change, reach and use. The most dangerous comes first, and
the last line is about the whole policy. In front stand a verdict

`)
	for _, v := range explain.Verdicts() {
		b.WriteString("  " + v.String() + strings.Repeat(" ", len("dangerous  ")-len(v.String())) + v.Means() + "\n")
	}
	b.WriteString(`
and the entry's place in FILE, as a JSON pointer. Links are followed; whether a path
exists and what listens at a port is not looked at. What holds on this machine plan
and doctor say.

The exit status is 0 whatever the verdict, and 125 if FILE is no policy.
`)
	return b.String()
}

// shortPointer is a pointer as the page has it: names of variables can be long.
func shortPointer(pointer string) string { return text.Short(pointer, 80, text.Begin) }
