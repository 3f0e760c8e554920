package main

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/inithelp"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/manual"
	"github.com/security-mcp/mcp-sandbox/policy/schema"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// manuals are the manual pages: of the program, each command, mcp-sandbox-init, and of policies.
func manuals() ([]*manual.Page, error) {
	document, err := manual.Policy(schema.JSON())
	if err != nil {
		return nil, err
	}
	all := []*manual.Page{{Name: "mcp-sandbox", Section: "1", Short: "run MCP servers confined",
		Synopsis: []string{"mcp-sandbox COMMAND", "mcp-sandbox help [COMMAND]", "mcp-sandbox help --man [COMMAND]",
			"mcp-sandbox --version"},
		Text: "Runs MCP servers confined: they see no file and no network but what you grant.\n\n" +
			"help says what a command does; with --man it prints its manual page, for man -l.\n",
		Flags: []manual.Flag{{Text: "COMMANDS"}}, Examples: examples,
		Also: []string{"mcp-sandbox-run(1)", "mcp-sandbox-init(1)", manual.Policies}}}
	for _, c := range commands() {
		p := manual.Of(&c)
		all[0].Flags = append(all[0].Flags, manual.Flag{Term: p.Reference(), Text: c.Short})
		if c.Name != serveName { // whose own program has the page
			all = append(all, p)
		}
	}
	own := &manual.Page{Name: "mcp-sandbox-init", Section: "1", Short: "start one MCP server confined, for hosts",
		Synopsis: []string{inithelp.Synopsis}, Text: inithelp.Text, Flags: []manual.Flag{{Text: "OPTIONS"}},
		More: inithelp.More, Examples: inithelp.Tips,
		Also: []string{"mcp-sandbox-run(1)", manual.Policies, "mcp-sandbox(1)"}}
	for _, f := range inithelp.Flags() {
		own.Flags = append(own.Flags, manual.Flag{Term: "--" + f.Name, Value: f.Value, Text: f.Text})
	}
	return append(all, own, document), nil
}

// showManual prints the page of the command that these words name.
func showManual(words []string) int {
	all, err := manuals()
	if err != nil {
		return cli.Fail("help --man: " + err.Error())
	}
	name := strings.Join(append([]string{"mcp-sandbox"}, words...), "-")
	i := slices.IndexFunc(all, func(p *manual.Page) bool {
		return p.Name == name || len(words) == 1 && p.Name == words[0]
	})
	if i < 0 {
		return cli.UsageError("", "help --man: there is no page of "+text.Quote(strings.Join(words, " ")))
	}
	return cli.Show(all[i].Roff(manual.Stamp()))
}
