package notice

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A long name loses its middle, and what to type stays.
func TestFit(t *testing.T) {
	long := "/srv/" + strings.Repeat("deep/", 60) + "file"
	for _, c := range []struct {
		text, begins, ends string
		lines              int
	}{
		{"short", "short", "short", 1},
		{"--allow-read " + long + ": no such file (create it)", "--allow-read /srv/deep/", "(create it)", 2},
		{long + " and " + long + " (write --cwd)", "/srv/deep/", "(write --cwd)", 2},
		{strings.Repeat("many short words ", 30) + "end", "many short words ", "words end", 3},
		{strings.Repeat("many short words ", 15) + "(do this)", "many short words ", "(do this)", 3},
		{strings.Repeat("many short words ", 300) + "(end)", "many short words ", "(end)", mostLines + 1},
		{"a\nb\x1b[2J\xff\u202e", `a\nb`, `\u202e`, 1},
		{strings.Repeat("ä", 400), "ä", "ä", 1},
		{strings.Repeat(" ", 400), " ", " ", 3},
		{"", "", "", 1},
	} {
		lines := Fit(c.text)
		for _, got := range lines {
			if utf8.RuneCountInString(got) > Width {
				t.Errorf("%.60q: %d columns: %s", c.text, utf8.RuneCountInString(got), got)
			}
		}
		first, last := lines[0], lines[len(lines)-1]
		if len(lines) != max(1, c.lines) || !strings.HasPrefix(first, c.begins) || !strings.HasSuffix(last, c.ends) {
			t.Errorf("%.60q: %q", c.text, lines)
		}
		if cut := len(c.text) > Width && c.lines < 3 || c.lines > mostLines; cut != strings.Contains(strings.Join(lines, " "), "…") {
			t.Errorf("%.60q: shortened or not: %q", c.text, lines)
		}
		if c.lines == 3 && strings.Join(lines, " ") != c.text {
			t.Errorf("%.60q: not each word stays: %q", c.text, lines)
		}
	}
}

func TestShell(t *testing.T) {
	for word, want := range map[string]string{
		"/home/ann/notes":    "/home/ann/notes",
		"/home/ann/my notes": "'/home/ann/my notes'",
		"/home/ann/it's":     `'/home/ann/it'\''s'`,
		"~/notes":            "'~/notes'", // a file of that name: the shell would take the home
		"a~b":                "a~b",
		"$HOME":              "'$HOME'",
		"NOTION_*":           "'NOTION_*'",
		"/srv/größe":         "/srv/größe",
		"a;b":                "'a;b'",
		"":                   "''",
	} {
		if got := text.Shell(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

func TestInFlags(t *testing.T) {
	for hint, want := range map[string]string{
		"or let the server start with less confinement: minConfinement reduced": "or let the server start with less confinement: --min-confinement reduced",
		"set subprocess.allow to true":                                          "add --subprocess=true",
		"raise filesystem.tmpSize":                                              "raise --tmp-size",
		"`mcp-sandbox doctor` tells what to do":                                 "`mcp-sandbox doctor` tells what to do",
		"run it in a VM, or set minConfinement to limits":                       "run it in a VM, or add --min-confinement limits",
	} {
		if got := InFlags(hint); got != want {
			t.Errorf("%s: %s", hint, got)
		}
	}
}
