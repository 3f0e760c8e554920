package edit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// A hand writes a file in one of the many ways in which people and programs do.
type hand struct{ *rand.Rand }

func (h hand) of(choices ...string) string { return choices[h.IntN(len(choices))] }

// shuffled is what the parts are in some order.
func (h hand) shuffled(parts []string) []string {
	h.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return parts
}

var words = []string{"npx", "-y", "@scope/name", "/a b/c", `C:\x`, "é: ü", "--", "run", "$HOME", "#x", "a,b", "[x]", "{y}", "'q'"}

func (h hand) json() string {
	gap := func() string { return h.of("", "", " ", "\n", "\n\t\t", "\r\n  ", " /* c, \" */ ", " // c ]\n ") }
	list := func(items []string) string {
		if len(items) == 0 {
			return "[" + gap() + "]"
		}
		return "[" + gap() + strings.Join(items, gap()+","+gap()) + gap() + h.of("", "", ","+gap()) + "]"
	}
	object := func(members []string) string {
		text := list(members)
		return "{" + text[1:len(text)-1] + "}"
	}
	member := func(name, value string) string { return `"` + name + `"` + gap() + ":" + gap() + value }
	var servers []string
	for i := range 1 + h.IntN(3) {
		members := []string{member("command", quote(h.of(words...)))}
		if h.IntN(3) > 0 {
			var args []string
			for range h.IntN(4) {
				args = append(args, quote(h.of(words...)))
			}
			members = append(members, member("args", list(args)))
		}
		if h.IntN(2) > 0 {
			members = append(members, member("env", object([]string{member("K", `"v"`)})))
		}
		if h.IntN(2) > 0 {
			members = append(members, member("timeout", "1.50"))
		}
		servers = append(servers, member(fmt.Sprint("s", i), object(h.shuffled(members))))
	}
	all := []string{member("mcpServers", object(servers)), member("théme", `["é", 1e5, null]`)}
	return h.of("", "\ufeff") + gap() + object(h.shuffled(all)) + gap()
}

func (h hand) toml() string {
	end := h.of("\n", "\r\n")
	text := func() string {
		w := h.of(words...)
		if strings.Contains(w, "'") {
			return quote(w)
		}
		return h.of(quote(w), "'"+w+"'", "'''"+w+"'''", `"""`+strings.ReplaceAll(w, `\`, `\\`)+`"""`)
	}
	gap := func() string { return h.of("", " ", end+"  ", " # c ]"+end) }
	list := func(gap func() string) string {
		var items []string
		for range h.IntN(4) {
			items = append(items, text())
		}
		if len(items) == 0 {
			return "[" + gap() + "]"
		}
		return "[" + gap() + strings.Join(items, gap()+","+gap()) + gap() + h.of("", ","+gap()) + "]"
	}
	is := func() string { return h.of(" = ", "=", "\t= ") }
	var b strings.Builder
	b.WriteString(h.of("", "\ufeff") + h.of("", "# c"+end, "a = 1"+end))
	for i := range 1 + h.IntN(3) {
		name := h.of(fmt.Sprint("s", i), fmt.Sprintf("%q", fmt.Sprint("s ", i)))
		members := []string{"command" + is() + text()}
		inline := h.IntN(3) == 0
		if h.IntN(3) > 0 && inline {
			members = append(members, "args"+is()+list(func() string { return h.of("", " ") }))
		} else if h.IntN(3) > 0 {
			members = append(members, "args"+is()+list(gap))
		}
		if h.IntN(2) > 0 {
			members = append(members, `env = { "K" = 'v' }`)
		}
		if inline {
			fmt.Fprintf(&b, "[mcp_servers]%s%s = {%s}%s", end, name, strings.Join(h.shuffled(members), h.of(",", ", ")), end)
			break // such a table is there once
		}
		fmt.Fprintf(&b, "%s[mcp_servers.%s]%s%s", h.of("", "  "), name, h.of("", " # c"), end)
		for _, m := range h.shuffled(members) {
			b.WriteString(h.of("", "  ", "\t") + m + h.of("", " ", " # c") + end + h.of("", end))
		}
	}
	return b.String()
}

func (h hand) yaml() string {
	end := h.of("\n", "\r\n")
	text := func() string {
		w := h.of(words...)
		plain := "'" + strings.ReplaceAll(w, "'", "''") + "'"
		if w[0] >= 'a' && w[0] <= 'z' && !strings.ContainsAny(w, ":#,") {
			plain = w
		}
		return h.of(quote(w), "'"+strings.ReplaceAll(w, "'", "''")+"'", plain)
	}
	var b strings.Builder
	b.WriteString(h.of("", "\ufeff") + h.of("", "# c"+end, "a: 1"+end) + "extensions:" + end)
	for i := range 1 + h.IntN(3) {
		fmt.Fprintf(&b, "  s%d:", i)
		var items []string
		for range h.IntN(4) {
			items = append(items, text())
		}
		members := []string{"cmd: " + text()}
		if h.IntN(4) == 0 { // all on a line
			if h.IntN(2) > 0 {
				members = append(members, "args: ["+strings.Join(items, h.of(",", ", "))+"]")
			}
			b.WriteString(" {" + strings.Join(h.shuffled(append(members, "timeout: 1")), ", ") + "}" + h.of("", " # c") + end)
			continue
		}
		indent := h.of("    ", "   ", "      ")
		switch h.IntN(3) {
		case 0:
			members = append(members, "args: ["+h.of("", " ")+strings.Join(items, h.of(",", ", ", ","+end+indent+"  "))+"]")
		case 1:
			if len(items) > 0 {
				dash := end + indent + h.of("", "  ") + "-" + h.of(" ", "   ")
				members = append(members, "args:"+h.of("", " # c")+dash+strings.Join(items, h.of("", " # c")+dash))
			}
		}
		members = append(members, "timeout: 1", "envs: {K: v}")
		b.WriteString(h.of("", " # c") + end)
		for _, m := range h.shuffled(members) {
			b.WriteString(indent + m + h.of("", " ", " # c") + end + h.of("", end, indent+"# c"+end))
		}
	}
	return b.String()
}

// However a file is written, each of its servers can be wrapped, and what comes back are the same bytes.
func TestWritings(t *testing.T) {
	count := uint64(3000)
	if testing.Short() {
		count = 300
	}
	var seed uint64
	var file string
	defer func() {
		if t.Failed() {
			t.Logf("seed %d:\n%s", seed, file)
		}
	}()
	for seed = range count {
		h := hand{rand.New(rand.NewPCG(seed, 20))}
		for _, c := range []struct {
			form mcphosts.Form
			file string
		}{{jsoncForm, h.json()}, {tomlForm, h.toml()}, {yamlForm, h.yaml()}} {
			file = c.file
			d := open(t, []byte(file), c.form)
			for _, s := range d.Servers() {
				if s.State != Plain {
					t.Fatalf("%+v", s)
				}
			}
			if round(t, []byte(file), c.form); t.Failed() || len(d.Servers()) == 0 {
				t.FailNow()
			}
		}
	}
}
