package whypage

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/reportpage"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

const first = `{"event":"enforced","version":1,"id":"0f","command":["node","server.js"]}` + "\n"

// read is a report from a file, and its list.
func read(t *testing.T, text string) (*List, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "r")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := reportpage.File(file)
	if err != nil {
		t.Fatal(err)
	}
	return Of(r)
}

func shown(l *List, width int) string {
	var b strings.Builder
	l.Show(Page{W: &b, Width: width})
	return b.String()
}

// The counts of the last line are complete: records are only what they do not have. Without them records are counted.
func TestCounts(t *testing.T) {
	records := `{"event":"denied","layer":"network","kind":"name","host":"a.example","flag":"--allow-domain a.example"}
{"event":"denied","layer":"network","kind":"udp","host":"b.example","port":443}
{"event":"denied","layer":"cgroup","kind":"limit","flag":"--pids","errno":"EAGAIN"}
{"event":"denied","layer":"network","kind":"udp","host":"b.example","port":443}
`
	last := `{"event":"exited","id":"0f","cause":"exit","denied":[{"kind":"open","path":"/home/ann/.config/acme/config.toml","errno":"ENOENT","flag":"--allow-read /home/ann/.config/acme/config.toml","count":12},` +
		`{"kind":"name","host":"a.example","count":3},{"kind":"syscall","syscall":"clone","errno":"EPERM","flag":"--subprocess","count":2}]}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", first + `{"event":"exited","id":"0f","cause":"exit"}` + "\n", "nothing was refused\n"},
		{"no end", first, "nothing was refused; the report has no last line: the server still runs, or mcp-sandbox was killed\n"},
		{"records", first + records, `  2x  b.example udp 443  only TCP can be allowed
  1x  a.example          no entry allows this name.  --allow-domain a.example
  1x  another process    limits.pids processes are there already.  --pids
  the report has no last line: the server still runs, or mcp-sandbox was killed
`},
		{"both", first + records + last, `  12x  /home/ann/.config/acme/config.toml  not there: no grant covers it.  --allow-read /home/ann/.config/acme/config.toml
   3x  a.example                           no entry allows this name.  --allow-domain a.example
   2x  clone                               it may start no other program.  --subprocess
   2x  b.example udp 443                   only TCP can be allowed
   1x  another process                     limits.pids processes are there already.  --pids
`},
		{"refused", `{"event":"refused","layer":"landlock","op":"open","path":"/srv/data","error":"no such file or directory","hint":"make it"}` + "\n",
			"the launch was refused, the server has not run\n  landlock: open /srv/data: no such file or directory\n  make it\n"},
	} {
		l, err := read(t, c.text)
		if got := shown(l, 0); err != nil || got != c.want {
			t.Errorf("%s: %v\n%swant\n%s", c.name, err, got, c.want)
		}
		if l.Denies() == strings.HasPrefix(c.want, "nothing") {
			t.Errorf("%s: denies: %v", c.name, l.Denies())
		}
	}
}

// A report with lines or numbers that no launch writes is told from a whole one.
func TestForged(t *testing.T) {
	for _, line := range []string{`{"event":"denied"}`, `{"event":"exited","id":"0e","cause":"exit"}`, "x", `{"event":"exited","id":"0f","denied":[{"kind":"name","host":"a","count":0}]}`,
		`{"event":"exited","id":"0f","denied":[{"kind":"name","host":"a","count":-1}]}`,
		`{"event":"exited","id":"0f","denied":[{"kind":"name","host":"a","count":9223372036854775807},{"kind":"name","host":"a","count":9223372036854775807}]}`, `{"event":"denied","kind":"na`} {
		if l, err := read(t, first+line); !errors.Is(err, ErrForged) {
			t.Errorf("%s: %+v, %v", line, l, err)
		}
	}
}

// However many acts a report has, few lines are shown, and they come soon.
func TestBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString(first + `{"event":"exited","id":"0f","cause":"exit","denied":[`)
	for i := range 60_000 {
		b.WriteString(`{"kind":"name","host":"` + strconv.Itoa(i) + strings.Repeat("n", 80) + `","count":1},`)
	}
	began := time.Now()
	l, err := read(t, strings.TrimSuffix(b.String(), ",")+"]}\n")
	if err != nil || len(l.Denied) != mostActs || l.more != 60_000-mostActs {
		t.Fatal(err, len(l.Denied), l.more)
	}
	text := shown(l, 80)
	if n := strings.Count(text, "\n"); n > 4*mostLines || !strings.Contains(text, "and 59900 more") || time.Since(began) > time.Minute {
		t.Errorf("%d lines in %s", n, time.Since(began))
	}
}

// Whatever a report holds, a terminal gets characters that it prints, and no line that is wider.
func FuzzShow(f *testing.F) {
	f.Add("a.example", "/p", "--allow-domain a.example", "ENOENT", 80)
	f.Add("\x1b]0;\a", "漢\n\u202e", "\x00", strings.Repeat("x", 5000), 7)
	f.Fuzz(func(t *testing.T, host, path, flag, errno string, width int) {
		l := &List{Command: []string{host, path}}
		for _, kind := range []order.DeniedKind{order.DeniedName, order.DeniedOpen, order.DeniedUpstream, order.DeniedServerName, "other"} {
			l.count([]order.DeniedCount{{Act: order.Act{Kind: kind, Host: host, Path: path, Asked: errno}, Flag: flag, Errno: errno, Count: 1}}, nil)
		}
		width = max(2, width%300)
		var b strings.Builder
		p := Page{W: &b, Width: width}
		l.Title(p)
		l.Show(p)
		(&List{Refused: &order.Refused{Op: host, Path: path, Error: errno, Hint: flag}}).Show(p)
		for line := range strings.SplitSeq(b.String(), "\n") {
			if page.TextWidth(line) > width || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%d columns of %d: %q", page.TextWidth(line), width, line)
			}
		}
	})
}

// Of a file that was named the hint is the file's, and a refusal has an end.
func TestRefusedOfNamedFile(t *testing.T) {
	l := &List{Refused: &order.Refused{Op: "check", Error: strings.Repeat("x\n", 1000), Hint: "type this"}}
	for named, want := range map[bool]string{false: "  type this\n", true: "  the file advises: type this\n"} {
		var b strings.Builder
		l.Show(Page{W: &b, Named: named})
		if !strings.HasSuffix(b.String(), want) || strings.Count(b.String(), "\n") > mostErrors+3 {
			t.Errorf("named %t:\n%s", named, b.String())
		}
	}
}
