package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/build"
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
		Also: []string{"mcp-sandbox-run(1)", "mcp-sandbox-init(1)", document.Reference()}}}
	for _, c := range commands() {
		p := pageOf(&c, document.Reference())
		all = append(all, p)
		all[0].Flags = append(all[0].Flags, manual.Flag{Term: p.Reference(), Text: c.Short})
	}
	own := &manual.Page{Name: "mcp-sandbox-init", Section: "1", Short: "start one MCP server confined, for hosts",
		Synopsis: []string{inithelp.Synopsis}, Text: inithelp.Text, Flags: []manual.Flag{{Text: "OPTIONS"}},
		More: inithelp.More, Examples: inithelp.Tips,
		Also: []string{"mcp-sandbox-run(1)", document.Reference(), "mcp-sandbox(1)"}}
	for _, f := range inithelp.Flags() {
		own.Flags = append(own.Flags, manual.Flag{Term: "--" + f.Name, Value: f.Value, Text: f.Text})
	}
	return append(all, own, document), nil
}

// pageOf is the page of a command, which tells of the flags of every system.
func pageOf(c *cli.Command, document string) *manual.Page {
	p := &manual.Page{Name: "mcp-sandbox-" + strings.ReplaceAll(c.Name, " ", "-"), Section: "1", Short: c.Short,
		Synopsis: []string{strings.TrimSpace("mcp-sandbox " + c.Name + " " + c.Args)}, Text: c.Long, Examples: c.Tips,
		Flags: []manual.Flag{{Text: "OPTIONS"}}, Also: []string{"mcp-sandbox(1)", document}}
	for _, l := range c.Flags().Lines {
		text := l.Text
		if l.Name == "" {
			p.Flags = append(p.Flags, manual.Flag{Text: text})
			continue
		}
		if l.Only != "" {
			text += " (on " + map[string]string{"linux": "Linux", "darwin": "macOS"}[l.Only] + " alone)"
		}
		p.Flags = append(p.Flags, manual.Flag{Term: "--" + l.Name, Value: l.Value, Text: text})
	}
	p.Flags = append(p.Flags, manual.Flag{Term: "--help", Text: "print what the flags do, and examples"})
	return p
}

// written is when the pages were last looked through: their date where the build has none of a commit.
const written = "2026-11-28"

// stamp is what the pages say of the build. Two builds of one commit say the same.
func stamp() manual.Build {
	b := build.Read("mcp-sandbox")
	return manual.Build{Version: b.Version, Date: dateOf(b.Time, b.Version)}
}

// dateOf is the day of a commit, by its time or by a version made of that, as v0.0.0-20261127101010-0123456789ab.
func dateOf(commit, version string) string {
	if date, _, found := strings.Cut(commit, "T"); found {
		return date
	}
	for part := range strings.FieldsFuncSeq(version, func(r rune) bool { return r == '-' || r == '.' }) {
		if at, err := time.Parse("20060102150405", part); err == nil {
			return at.Format(time.DateOnly)
		}
	}
	return written
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
	return cli.Show(all[i].Roff(stamp()))
}

// writeManuals writes all pages into a folder, for packagers.
func writeManuals(words []string) int {
	if len(words) != 1 {
		return cli.UsageError("", "__manual: into which folder?")
	}
	all, err := manuals()
	if err != nil {
		return cli.Fail("__manual: " + err.Error())
	}
	for b := stamp(); len(all) > 0; all = all[1:] {
		if err := os.WriteFile(filepath.Join(words[0], all[0].File()), []byte(all[0].Roff(b)), 0o644); err != nil {
			return cli.Fail("__manual: " + err.Error())
		}
	}
	return 0
}
