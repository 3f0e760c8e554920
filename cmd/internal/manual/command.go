package manual

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/build"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
)

// Policies is the page of policies.
const Policies = "mcp-sandbox-policy(5)"

// Of is the page of a command of mcp-sandbox, which tells of the flags of every system.
func Of(c *cli.Command) *Page {
	p := &Page{Name: "mcp-sandbox-" + strings.ReplaceAll(c.Name, " ", "-"), Section: "1", Short: c.Short,
		Synopsis: []string{strings.TrimSpace("mcp-sandbox " + c.Name + " " + c.Args)}, Text: c.Long, Examples: c.Tips,
		Flags: []Flag{{Text: "OPTIONS"}}, Also: []string{"mcp-sandbox(1)", Policies}}
	for _, l := range c.Flags().Lines {
		text := l.Text
		if l.Name == "" {
			p.Flags = append(p.Flags, Flag{Text: text})
			continue
		}
		if l.Only != "" {
			text += " (on " + map[string]string{"linux": "Linux", "darwin": "macOS"}[l.Only] + " alone)"
		}
		p.Flags = append(p.Flags, Flag{Term: "--" + l.Name, Value: l.Value, Text: text})
	}
	p.Flags = append(p.Flags, Flag{Term: "--help", Text: "print what the flags do, and examples"})
	return p
}

// written is when the pages were last looked through: their date where the build has none of a commit.
const written = "2026-11-30"

// Stamp is what the pages say of the running program's build. Two builds of one commit say the same.
func Stamp() Build {
	b := build.Read("mcp-sandbox")
	return Build{Version: b.Version, Date: dateOf(b.Time, b.Version)}
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

// Write is the command __manual, which writes pages into a folder, for packagers. It returns the exit code.
func Write(words []string, pages []*Page, err error) int {
	if len(words) != 1 {
		return cli.UsageError("", "__manual: into which folder?")
	}
	b := Stamp()
	for i := 0; err == nil && i < len(pages); i++ {
		err = os.WriteFile(filepath.Join(words[0], pages[i].File()), []byte(pages[i].Roff(b)), 0o644)
	}
	if err != nil {
		return cli.Fail("__manual: " + err.Error())
	}
	return 0
}
