package startline

import (
	"strings"
	"testing"
)

func TestChooseBin(t *testing.T) {
	type bins = map[string]string
	for _, row := range []struct {
		name  string
		bins  bins
		asked string
		want  string // "" for an error
		says  string
	}{
		{"p", bins{"p": "cli.js"}, "", "p", ""},
		{"p", bins{"q": "cli.js"}, "", "q", ""},
		{"@s/p", bins{"p": "a.js", "q": "b.js"}, "", "p", ""},
		{"@s/p", bins{"b2": "cli.js", "a1": "./cli.js", "c": "x/../cli.js"}, "", "a1", ""},
		{"p", bins{"a": "cli.js", "p": "/cli.js"}, "", "p", ""},
		{"p", bins{"q": "a.js", "r": "b.js"}, "", "", "p has several programs and none of its own name: q, r"},
		{"@s/p", bins{"q": "a.js", "r": "b.js"}, "r", "r", ""},
		{"@s/p", bins{"q": "a.js", "r": "b.js"}, "p", "", `@s/p has no program "p", but q, r`},
		{"p", nil, "", "", "p has no program"},
		{"p", nil, "p", "", "p has no program"},
		{"p", bins{"../x": "cli.js"}, "", "", "p has no program"},
		{"p", bins{"../x": "cli.js"}, "../x", "", "p has no program"},
		{"p", bins{"../x": "a.js", "y": "b.js"}, "", "y", ""},
		{"p", bins{"": "a.js", "-x": "b.js", "a b": "c.js", ".": "d.js", "..": "e.js", "a\n": "f.js", "p": "g.js"}, "", "p", ""},
		{"p", bins{"p": ".."}, "", "", "p has no program"},
		{"p", bins{"p": ""}, "", "", "p has no program"},
		{"p", bins{"a": "../cli.js", "b": "cli.js"}, "", "a", ""},
	} {
		got, err := ChooseBin(row.name, row.bins, row.asked)
		if got != row.want || (err == nil) != (row.says == "") || err != nil && err.Error() != row.says {
			t.Errorf("%s %q %q: %q, %v; want %q, %s", row.name, row.bins, row.asked, got, err, row.want, row.says)
		}
	}
}

// A package with many programs fills no screen.
func TestManyBins(t *testing.T) {
	bins := map[string]string{}
	for r := 'a'; r <= 'z'; r++ {
		bins[string(r)] = string(r) + ".js"
	}
	if _, err := ChooseBin("@s/none", bins, ""); err == nil || !strings.HasSuffix(err.Error(), ": a, b, c, d, e, f, g, h, …") {
		t.Error(err)
	}
}
