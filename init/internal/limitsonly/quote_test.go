package limitsonly

import (
	"strings"
	"testing"
)

func TestBatchLine(t *testing.T) {
	const front = `cmd.exe /d /e:on /v:off /s /c ""C:\bin\npx.cmd"`
	for _, c := range []struct {
		arg, want string // want "" is an error
	}{
		{"-y", ` "-y"`},
		{"", ` ""`},
		{"a b", ` "a b"`},
		{`"&calc.exe`, ` """&calc.exe"`},
		{`a" & calc & "`, ` "a"" & calc & """`},
		{`%PATH%`, ` "%%cd:~,%PATH%%cd:~,%"`},
		{`100%`, ` "100%%cd:~,%"`},
		{`x\`, ` "x\\"`},
		{`x\"`, ` "x\\"""`},
		{`!PATH!^|<>()`, ` "!PATH!^|<>()"`},
		{"two\nlines", ""},
		{"two\rlines", ""},
		{"nul\x00", ""},
	} {
		got, err := batchLine(`C:\bin\npx.cmd`, []string{c.arg})
		if c.want == "" {
			if err == nil {
				t.Errorf("%q: %s, want an error", c.arg, got)
			}
			continue
		}
		if want := front + c.want + `"`; err != nil || got != want {
			t.Errorf("%q: %s, %v\nwant %s", c.arg, got, err, want)
		}
	}
	for _, script := range []string{`C:\a"b.cmd`, `C:\%X%.cmd`, "C:\\a\nb.cmd"} {
		if got, err := batchLine(script, nil); err == nil {
			t.Errorf("%q: %s", script, got)
		}
	}
}

// quoted takes a line of cmd.exe apart as it does: which characters stand outside of quotes.
func outside(line string) string {
	var b strings.Builder
	in := false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			in = !in
		case !in:
			b.WriteByte(line[i])
		}
	}
	return b.String()
}

// Whatever an argument is, nothing of it that cmd.exe understands stands outside of quotes, and no percent sign is followed by
// a name and another.
func FuzzBatchLine(f *testing.F) {
	for _, s := range []string{`"&calc`, `%PATH%`, `a" "b`, `\"`, `^"`, `""`} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		line, err := batchLine(`C:\s.cmd`, []string{a, b})
		if err != nil {
			return
		}
		body := strings.TrimSuffix(strings.TrimPrefix(line, `cmd.exe /d /e:on /v:off /s /c "`), `"`) // what /s leaves
		if rest := outside(body); strings.Trim(rest, " ") != "" {
			t.Errorf("%q %q: outside of quotes %q in %s", a, b, rest, line)
		}
		if plain := strings.ReplaceAll(body, "%%cd:~,%", ""); strings.Contains(plain, "%") {
			t.Errorf("%q %q: a percent sign of its own in %s", a, b, line)
		}
	})
}
