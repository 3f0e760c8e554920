package why

import (
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/reportpage"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/whypage"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/keep/reports"
)

// refusals lists the refusals of a report, or of the one that was kept last.
func refusals(f *cli.Flags, args []string, json bool) int {
	file, err := cli.File(args, false)
	if err != nil {
		return cli.UsageError("why", err.Error())
	}
	named := file != ""
	if !named {
		f.Stderr.Kept(cli.StatesVariable)
		if file, err = reports.Newest(); err != nil {
			return cli.Fail("why: " + err.Error())
		}
	}
	r, err := reportpage.File(file)
	if err != nil {
		return cli.Fail(file + ": " + cli.Cause(err))
	}
	l, forged := whypage.Of(r)
	code := showRefusals(l, json, named)
	switch {
	case code != 0:
	case forged != nil:
		code = cli.Fail(file + ": " + forged.Error())
	case l.Denies():
		code = 1
	}
	return code
}

// showRefusals shows a list. A person that named the file knows of which launch it is, and a stranger can have made it.
func showRefusals(l *whypage.List, json, named bool) int {
	if json {
		return cli.ShowJSON(l)
	}
	var b strings.Builder
	p := whypage.Page{W: &b, Colour: page.IsTerminal(os.Stdout), Width: page.TerminalWidth(os.Stdout), Named: named}
	if !named {
		l.Title(p)
	}
	l.Show(p)
	return cli.Show(b.String())
}
