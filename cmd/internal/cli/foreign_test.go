package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
)

// Every word that other programs know has an answer here, which names only flags of this version.
func TestHabits(t *testing.T) {
	o := cli.NewFlags()
	pipeline.ForLaunch(o)
	seen := map[string]bool{}
	for i := range cli.Habits {
		h := &cli.Habits[i]
		for word := range strings.FieldsSeq(h.Words()) {
			text := o.Answer(word)
			if text == "" {
				t.Errorf("%s: no answer, though this version has flags for one", word)
			}
			for _, name := range cli.FlagsIn(text) {
				if !o.Has(name) {
					t.Errorf("%s: the answer names --%s, which does not exist", word, name)
				}
			}
			if seen[word] {
				t.Errorf("%s stands there twice", word)
			}
			seen[word] = true
		}
		if last := h.Answers()[len(h.Answers())-1]; !o.HasAll(last) {
			t.Errorf("%s: the last answer names a flag that does not exist: %s", h.Words(), last)
		}
	}
	if cli.NewFlags().Answer("--ro-bind") != "" {
		t.Error("doctor answers for a flag of servers")
	}
}

func TestFlagsIn(t *testing.T) {
	got := cli.FlagsIn(`write --a-b PATH, or "--c=true" (--d); a - b -- c`)
	if want := []string{"a-b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The command begins at the first word that is neither a flag nor the value of one.
func TestSplit(t *testing.T) {
	for _, c := range []struct{ args, flags, rest string }{
		{"node server.js", "", "-- node server.js"},
		{"-- node", "", "-- node"},
		{"--memory 1G node -v", "--memory 1G", "-- node -v"},
		{"--memory=1G node -- x", "--memory=1G", "-- node -- x"},
		{"--allow-read -/x node", "--allow-read -/x", "-- node"},
		{"--verbose node --verbose", "--verbose", "-- node --verbose"},
		{"--memory -- node", "", ""},
		{"--memory 1G", "--memory 1G", ""},
		{"- x", "", "-- - x"},
		{"-x node", "-x", "-- node"},
	} {
		o := cli.NewFlags()
		pipeline.ForLaunch(o)
		flags, rest, _ := o.Split(strings.Fields(c.args))
		if strings.Join(flags, " ") != c.flags || strings.Join(rest, " ") != c.rest {
			t.Errorf("%s: got %q and %q", c.args, flags, rest)
		}
	}
}
