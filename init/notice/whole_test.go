package notice

import (
	"cmp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A flag that a line proposes is whole, on a line of its own if need be. One that no line holds is not proposed.
func TestProposedWhole(t *testing.T) {
	const read, write = "--allow-read", "--allow-write"
	for _, c := range []struct {
		path string
		none string // what the line has in place of a flag
	}{
		{"/srv/" + strings.Repeat("x", 30), ""},
		{"/srv/" + strings.Repeat("x", 100), ""},
		{"/srv/" + strings.Repeat("deep/", 27) + "f", ""},
		{"/srv/" + strings.Repeat("a b (c) ", 17) + "f", ""},
		{"/srv/" + strings.Repeat("x", 200), tooLong},
		{"/srv/a\x1b[2Jb", unshown},
		{"/srv/a\nb", unshown},
	} {
		offer := func(flag string) string { return Offer(flag, c.path, Width-3-len(flag)) }
		for i, str := range []string{
			Argument(c.path, offer(read), true), HomeArgument(c.path, offer(read)), Cwd(c.path, c.path, offer(read)),
			Granted(c.path, offer(write)), NotGranted("argument", c.path, "is not there", read),
			Unmade("argument "+c.path, c.path), Single(c.path+"/f", c.path),
			Held(3, c.path, c.path, "more than 200 folders lie in it", true), Apart(c.path+"/a", c.path+"/b", c.path),
			LinksOut(c.path+"/l", c.path, 2),
		} {
			lines, whole := Fit(str), 0
			for _, l := range lines {
				if utf8.RuneCountInString(l) > Width {
					t.Errorf("%d: %d columns: %s", i, utf8.RuneCountInString(l), l)
				}
				if strings.Contains(l, read+" "+text.Shell(c.path)) || strings.Contains(l, write+" "+text.Shell(c.path)) {
					whole++
				}
			}
			all := strings.Join(lines, " ")
			if c.none == "" && whole != 1 || c.none != "" && (!strings.Contains(all, c.none) || strings.Contains(all, "--")) {
				t.Errorf("%d: %q", i, lines)
			}
		}
	}
}

// A name in a flag is whole as well, and a name that no line holds has none.
func TestVariablesWhole(t *testing.T) {
	long, wide := strings.Repeat("LONG_", 20)+"KEY", strings.Repeat("W", 300)
	for _, c := range []struct {
		names []string
		want  string // the last line
	}{
		{[]string{"A_KEY"}, "not forwarded to the server: A_KEY, which the program that started this one set (--env A_KEY forwards it)"},
		{[]string{long}, "(--env " + long + " forwards it)"},
		{[]string{"A", long, "B"}, "(--env A --env B)"},
		{[]string{wide}, "which the program that started this one set"},
		{[]string{"A\x1b", "B\x1b"}, `not forwarded to the server: A\x1b, B\x1b`},
	} {
		lines := Fit(Variables(c.names))
		if last := lines[len(lines)-1]; !strings.HasSuffix(last, c.want) {
			t.Errorf("%.40q: %q, want %s", c.names, lines, c.want)
		}
	}
}

// The line about an early end, and the one about a refused name, have the flag whole or not at all.
func TestEndWhole(t *testing.T) {
	host := strings.Repeat("sub.", 36) + "example.com"
	git := "/srv/" + strings.Repeat("deep/", 24) + ".git"
	for _, c := range []struct{ flag, whole string }{
		{"--allow-domain a.example", ""},
		{"--allow-domain " + host, ""},
		{"--allow-domain " + strings.Repeat("sub.", 60) + "example.com", tooLong},
		{"--allow-write " + git, ""},
		{"--allow-write " + text.Shell(git+"/a b"), ""},
		{"--allow-write /srv/" + strings.Repeat("x", 200), tooLong},
		{"--allow-write '/srv/a\nb'", unshown},
	} {
		_, value, _ := strings.Cut(c.flag, " ")
		d := order.Act{Kind: order.DeniedName, Host: value}
		x := &order.Exited{Cause: order.CauseExit, ExitCode: 1}
		p := policy.Policy{}.Effective(policy.Run)
		o := &order.Order{Command: []string{"git", "--denied"}, Flags: order.Flags{Guided: true}}
		first := &order.Enforced{Notices: []order.Notice{{Kind: order.NoticeProtected, Name: value, Flag: c.flag}}}
		protected := (&End{Exited: x, Policy: &p}).Line(o, first)
		refused := *x
		refused.Denied = []order.DeniedCount{{Act: d, Flag: c.flag}}
		denied := (&End{Exited: &refused, Policy: &p}).Line(o, &order.Enforced{})
		for _, text := range []string{protected, denied, Network(&order.Denied{Act: d, Flag: c.flag}, nil)} {
			lines := Fit(text)
			all := strings.Join(lines, "\n")
			if want := cmp.Or(c.whole, c.flag); !strings.Contains(all, want) || c.whole != "" && strings.Contains(all, "--allow") {
				t.Errorf("%q, want %s", lines, want)
			}
			for _, l := range lines {
				if utf8.RuneCountInString(l) > Width {
					t.Errorf("%d columns: %s", utf8.RuneCountInString(l), l)
				}
			}
		}
	}
}
