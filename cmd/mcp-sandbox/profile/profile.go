// Package profile has the commands about the needs of known packages.
package profile

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// Commands are those about profiles.
func Commands() []cli.Command {
	return []cli.Command{{
		Name: "profile list", Args: "[--json]", Short: "list the packages whose needs are known",
		Long: `Lists the profiles that are part of this program: for each package the hosts, the
variables and the arguments that its server needs. "0…: write" are the arguments
from the first on that are no flags, each a path that can be written; $NAME among the
hosts is the host in that variable. run without --policy adds the profile of the
package that it starts to the flags; --profile none adds nothing.
`,
		Tips:  "  mcp-sandbox profile list\n  mcp-sandbox profile list --json | jq -r '.profiles[].id'\n",
		Setup: cli.WithJSON(listProfiles),
	}, {
		Name: "profile show", Args: "[--json] ID", Short: "print a profile as its document",
		Long: "Prints the document of a profile, as it is part of this program: JSON, with --json and without.\n",
		Tips: "  mcp-sandbox profile show npm:@modelcontextprotocol/server-github\n",

		Setup: cli.WithJSON(showProfile),
	}, {
		Name: "profile for", Args: "[--json] [--] COMMAND [ARG...]", Short: "name the profile that run would use",
		Long: `Prints the id of the profile that run adds for this command; of a command that names
several packages those of each, of which run takes the one whose package has the
program. If there is none the exit status is 1, and a line on standard error says why.
--json prints the profiles as profile list does.
`,
		Tips: `  mcp-sandbox profile for npx -y @modelcontextprotocol/server-github
  mcp-sandbox profile for --json -- npx -y NAME | jq -r '.profiles[].hosts[]'
`,
		Setup: setupFor,
	}}
}

func listProfiles(f *cli.Flags, json bool, args []string) int {
	if err := cli.NoOperand(args); err != nil {
		return cli.UsageError("profile list", err.Error())
	}
	l, err := profile.List()
	if err != nil {
		return cli.Fail("profile list: " + err.Error())
	}
	if json {
		return cli.ShowJSON(&l)
	}
	var b strings.Builder
	profilesPage(l.Profiles, page.Printer{W: &b, Colour: page.IsTerminal(os.Stdout),
		Width: page.TerminalWidth(os.Stdout)})
	return cli.Show(b.String())
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

func showProfile(f *cli.Flags, json bool, args []string) int {
	names := cli.Operands(args)
	if len(names) != 1 {
		return cli.UsageError("profile show", "one id of mcp-sandbox profile list is needed")
	}
	document, err := profile.Document(names[0])
	if err == nil && document == nil {
		err = errors.New(pipeline.NoSuchProfile(names[0]))
	}
	if err != nil {
		return cli.Fail("profile show " + text.Printable(text.Quote(names[0])) + ": " + err.Error())
	}
	return cli.Show(string(document))
}

func setupFor(f *cli.Flags) cli.Run {
	l := pipeline.New(f)
	json := f.JSON()
	return func(args []string) int {
		command, err := pipeline.Command(args)
		if err != nil {
			return cli.UsageError("profile for", err.Error())
		}
		s := l.Start(command)
		found, ids, err := profilesOf(s.Package)
		if err != nil {
			return cli.Fail("profile for: " + err.Error())
		}
		if *json {
			ids = cli.AsJSON(&found)
		}
		code := cli.Show(ids)
		if len(found.Profiles) > 0 || code != 0 {
			return code
		}
		for _, why := range whyNone(s) {
			reexec.Say("profile for: " + why)
		}
		return 1
	}
}

// profilesOf are the profiles of all packages of a start, and their ids as lines.
func profilesOf(start *startline.Start) (l profile.Listing, ids string, err error) {
	l.Profiles = []profile.Entry{}
	if start == nil {
		return l, "", nil
	}
	for _, s := range start.Specs {
		p, err := profile.ByName(pipeline.ID(s))
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

// whyNone says why run would add no profile.
func whyNone(s *pipeline.Start) []string {
	switch {
	case len(s.Notes) > 0: // a line that runs as it is
		return s.Notes
	case s.Package == nil && runtime.GOOS != "linux":
		return []string{"there is none: packages are installed apart on Linux alone, elsewhere --profile ID adds one"}
	case s.Package == nil:
		return []string{"there is none: the command is no npx, pnpm dlx, bunx, deno run, pipx run, uvx or go run " +
			"of a package"}
	}
	var names []string
	for _, spec := range s.Package.Specs {
		names = append(names, pipeline.ID(spec))
	}
	return []string{"there is none of " + strings.Join(names, ", ") + " (mcp-sandbox profile list)"}
}
