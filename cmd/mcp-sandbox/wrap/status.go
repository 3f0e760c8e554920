package wrap

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/wrapping"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

func status(f *cli.Flags, w *words, args []string) int {
	scope, err := scopeOf(w.project, args)
	if err != nil {
		return cli.UsageError("status", err.Error())
	}
	f.Stderr.Kept(cli.PoliciesVariable)
	files, problems := scope.Files()
	for _, p := range problems {
		reexec.Say("status: " + text.Printable(p.String()))
	}
	sayMisplaced("status", files)
	if *w.json {
		return showServers(files)
	}
	var b strings.Builder
	counts := map[string]int{}
	for _, f := range files {
		fmt.Fprintf(&b, "%s  %s\n", f.Host.Title, text.Printable(f.Path))
		for _, e := range f.Entries() {
			s := e.Status()
			counts[s.State]++
			name, more := s.Server, s.Policy
			if s.Reason != "" {
				more = s.Reason
			}
			if s.Place != "" {
				name = s.Place + ": " + name
			}
			line := fmt.Sprintf("  %-8s %-24s %s", s.State, text.Printable(name), text.Printable(more))
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			for _, warning := range few(s.Warnings, s.Policy) {
				b.WriteString(strings.Repeat(" ", 11) + warning + "\n")
			}
		}
	}
	fmt.Fprintf(&b, "%d wrapped, %d plain, %d cannot be wrapped\n", counts["wrapped"], counts["plain"],
		counts["cannot"])
	return cli.Show(b.String())
}

// sayMisplaced tells of files in which no host finds the servers.
func sayMisplaced(command string, files []*wrapping.File) {
	for _, f := range files {
		if line := f.Misplaced(); line != "" {
			reexec.Say(command + ": " + text.Printable(line))
		}
	}
}

// few are the first of the lines on a server: a policy can have thousands.
func few(lines []string, policy string) []string {
	const most = 20
	if n := len(lines) - most; n > 0 {
		more := strconv.Itoa(n) + " more are wide or dangerous: mcp-sandbox policy explain " + text.Shell(policy)
		return append(lines[:most:most], text.Printable(more))
	}
	return lines
}

// showServers prints the servers of files as programs read them.
func showServers(files []*wrapping.File) int {
	all := []wrapping.Status{}
	for _, f := range files {
		for _, e := range f.Entries() {
			all = append(all, e.Status())
		}
	}
	return cli.ShowJSON(struct {
		Servers []wrapping.Status `json:"servers"`
	}{all})
}
