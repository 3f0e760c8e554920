package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
)

// command is the command of that name.
func command(t *testing.T, name string) *cli.Command {
	c, _ := find([]string{name})
	if c == nil {
		t.Fatal("no command ", name)
	}
	return c
}

// The contract names every flag; nothing else gets in unseen.
func TestNoOtherFlag(t *testing.T) {
	own := []string{"policy", "policy-fd", "report", "report-fd", "verbose", "quiet", "tty", "stdout-guard", "env-file",
		"profile", "min-age", "scripts", "registry-auth", "registry-from-project", "install-size"}
	for _, l := range command(t, "run").Flags().Lines {
		if l.Name != "" && l.Here() && !slices.Contains(own, l.Name) &&
			!slices.ContainsFunc(pipeline.KeyFlags(), func(k pipeline.KeyFlag) bool { return k.Flag() == "--"+l.Name }) {
			t.Errorf("--%s is in no table", l.Name)
		}
	}
}

// unwrap takes flags of run out of an entry: each is one, with a value or without.
func TestFlagsOfEntries(t *testing.T) {
	for _, name := range strings.Fields(edit.Valued + edit.Bare) {
		o := command(t, "run").Flags()
		if slices.ContainsFunc(o.Lines, func(l cli.Line) bool { return "--"+l.Name == name && !l.Here() }) {
			continue // an entry may be of another system
		}
		_, err := o.Parse([]string{name})
		if takes := err != nil; takes && !strings.Contains(err.Error(), "needs a value") || takes != strings.Contains(edit.Valued, " "+name+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
