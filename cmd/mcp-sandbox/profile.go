package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

func profileCommands() []command {
	return []command{{
		name: "profile list", args: "[--json]", short: "list the packages whose needs are known",
		long: `Lists the profiles that are part of this program: for each package the hosts, the
variables and the arguments that its server needs. "0…: write" are the arguments
from the first on that are no flags, each a path that can be written; $NAME among the
hosts is the host in that variable. run without --policy adds the profile of the
package that it starts to the flags; --profile none adds nothing.
`,
		tips:  "  mcp-sandbox profile list\n  mcp-sandbox profile list --json | jq -r '.profiles[].id'\n",
		flags: jsonOptions, run: listProfiles,
	}, {
		name: "profile show", args: "[--json] ID", short: "print a profile as its document",
		long: "Prints the document of a profile, as it is part of this program: JSON, with --json and without.\n",
		tips: "  mcp-sandbox profile show npm:@modelcontextprotocol/server-github\n",

		flags: jsonOptions, run: showProfile,
	}, {
		name: "profile for", args: "[--json] [--] COMMAND [ARG...]", short: "name the profile that run would use",
		long: `Prints the id of the profile that run adds for this command; of a command that names
several packages those of each, of which run takes the one whose package has the
program. If there is none the exit status is 1, and a line on standard error says why.
--json prints the profiles as profile list does.
`,
		tips: `  mcp-sandbox profile for npx -y @modelcontextprotocol/server-github
  mcp-sandbox profile for --json -- npx -y NAME | jq -r '.profiles[].hosts[]'
`,
		flags: profileForOptions, run: profileFor,
	}}
}

func listProfiles(o *options, args []string) int {
	if len(args) > 0 {
		return usageError("mcp-sandbox profile list", "unexpected "+text.Quote(args[0]))
	}
	l, err := profile.List()
	if err != nil {
		return fail("profile list: " + err.Error())
	}
	if o.json {
		return show(asJSON(&l))
	}
	var b strings.Builder
	profilesPage(l.Profiles, page.Printer{W: &b, Colour: page.IsTerminal(os.Stdout),
		Width: page.TerminalWidth(os.Stdout)})
	return show(b.String())
}

// profilesPage prints profiles for people.
func profilesPage(profiles []profile.Entry, p page.Printer) {
	all := make([]page.Section, 0, len(profiles))
	for _, e := range profiles {
		var lines [][]page.Cell
		for _, row := range [...]struct {
			name  string
			words []string
			mark  string
		}{{"hosts", e.Hosts, " "}, {"variables", e.Env, " "}, {"arguments", e.Arguments, ", "}} {
			if len(row.words) > 0 {
				lines = append(lines, []page.Cell{{Text: fmt.Sprintf("%-9s", row.name)},
					{Text: strings.Join(row.words, row.mark)}})
			}
		}
		if len(lines) == 0 {
			lines = [][]page.Cell{{{Text: "no host, no variable, no argument"}}}
		}
		all = append(all, page.Section{Title: e.ID, Lines: lines})
	}
	p.Sections(all)
}

func showProfile(_ *options, args []string) int {
	names := namesOf(args)
	if len(names) != 1 {
		return usageError("mcp-sandbox profile show", "one id of mcp-sandbox profile list is needed")
	}
	document, err := profile.Document(names[0])
	if err == nil && document == nil {
		err = errors.New(noSuchProfile(names[0]))
	}
	if err != nil {
		return fail("profile show " + text.Printable(text.Quote(names[0])) + ": " + err.Error())
	}
	return show(string(document))
}

// noSuchProfile says what to type in place of an id that there is none of: most people write the name alone.
func noSuchProfile(id string) string {
	for _, ecosystem := range [...]string{"npm", "pypi"} {
		if p, err := profile.ByName(ecosystem + ":" + id); p != nil && err == nil {
			return "there is none, did you mean " + p.Package + "?"
		}
	}
	return "there is none (mcp-sandbox profile list)"
}

func profileForOptions() *options {
	o := jsonOptions()
	o.takesCommand = true
	return o
}

func profileFor(o *options, args []string) int {
	command, err := commandOf(args)
	if err != nil {
		return usageError("mcp-sandbox profile for", err.Error())
	}
	if err := readStart(o, command); err != nil {
		return fail("profile for: " + text.Printable(err.Error()))
	}
	l, text, err := profilesOf(o.start)
	if err != nil {
		return fail("profile for: " + err.Error())
	}
	if o.json {
		text = asJSON(&l)
	}
	code := show(text)
	if len(l.Profiles) > 0 || code != 0 {
		return code
	}
	for _, why := range whyNoProfile(o) {
		reexec.Say("profile for: " + why)
	}
	return 1
}

// profilesOf are the profiles of all packages of a start, and their ids as lines.
func profilesOf(start *startline.Start) (l profile.Listing, ids string, err error) {
	l.Profiles = []profile.Entry{}
	if start == nil {
		return l, "", nil
	}
	for _, s := range start.Specs {
		p, err := profile.ByName(idOf(s))
		if err != nil {
			return l, "", err
		}
		if p != nil {
			l.Profiles = append(l.Profiles, p.Entry())
			ids += p.Package + "\n"
		}
	}
	return l, ids, nil
}

// whyNoProfile says why run would add no profile.
func whyNoProfile(o *options) []string {
	switch {
	case len(o.notes) > 0: // a line that runs as it is
		return o.notes
	case o.start == nil && runtime.GOOS != "linux":
		return []string{"there is none: packages are installed apart on Linux alone, elsewhere --profile ID adds one"}
	case o.start == nil:
		return []string{"there is none: the command is no npx, pnpm dlx, bunx, deno run, pipx run, uvx or go run " +
			"of a package"}
	}
	var names []string
	for _, s := range o.start.Specs {
		names = append(names, idOf(s))
	}
	return []string{"there is none of " + strings.Join(names, ", ") + " (mcp-sandbox profile list)"}
}
