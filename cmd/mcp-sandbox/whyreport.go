package main

import (
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/reportpage"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/whypage"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/keep/reports"
)

// whyReport lists the refusals of a report, or of the one that was kept last.
func whyReport(o *options, args []string) int {
	file, err := fileOf(args, false)
	if err != nil {
		return usageError("mcp-sandbox why", err.Error())
	}
	named := file != ""
	if !named {
		sayKept(o, statesVariable)
		if file, err = reports.Newest(); err != nil {
			return fail("why: " + err.Error())
		}
	}
	r, err := reportpage.File(file)
	if err != nil {
		return fail(file + ": " + cause(err))
	}
	l, forged := whypage.Of(r)
	code := showRefusals(l, o.json, !named)
	switch {
	case code != 0:
	case forged != nil:
		code = fail(file + ": " + forged.Error())
	case l.Denies():
		code = 1
	}
	return code
}

func showRefusals(l *whypage.List, json, titled bool) int {
	if json {
		return show(asJSON(l))
	}
	var b strings.Builder
	p := whypage.Page{W: &b, Colour: page.IsTerminal(os.Stdout), Width: page.TerminalWidth(os.Stdout)}
	if titled {
		l.Title(p)
	}
	l.Show(p)
	return show(b.String())
}
