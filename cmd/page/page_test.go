package page

import (
	"strings"
	"testing"
	"unicode"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Colours take no room: taken out, the columns stand as they do without.
func TestColumns(t *testing.T) {
	lines := [][]Cell{{{"ä", Red}, {"b", Plain}}, {{"longer", Plain}, {"c", Green}}}
	var plain, coloured strings.Builder
	Printer{W: &plain}.Columns(lines)
	Printer{W: &coloured, Colour: true}.Columns(lines)
	if want := "  ä       b\n  longer  c\n"; plain.String() != want {
		t.Errorf("got %q, want %q", plain.String(), want)
	}
	bare := strings.NewReplacer("\x1b[31m", "", "\x1b[32m", "", "\x1b[m", "").Replace(coloured.String())
	if bare != plain.String() || bare == coloured.String() {
		t.Errorf("%q, without colours %q, want %q", coloured.String(), bare, plain.String())
	}
}

// The last column is wrapped between words; a cell that is wider than its column stands alone.
func TestWrap(t *testing.T) {
	var b strings.Builder
	wide := "/" + strings.Repeat("x", widest)
	Printer{W: &b}.Columns([][]Cell{{{Text: "a"}, {Text: strings.Repeat("word ", 30) + "end"}}, {{Text: wide}, {Text: "why"}}})
	want := "  a  " + strings.Repeat("word ", 18) + "word\n     " + strings.Repeat("word ", 11) + "end\n  " + wide + "\n     why\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// Whatever a cell holds, the terminal gets lines of characters that it prints.
func FuzzColumns(f *testing.F) {
	f.Add("\x1b]0;title\x07", "a\nb\u009b31m\u202e", "\xff"+strings.Repeat("y", 2*Longest))
	f.Fuzz(func(t *testing.T, one, two, three string) {
		var b strings.Builder
		p := Printer{W: &b}
		p.Sections([]Section{{one, [][]Cell{{{one, Red}, {two, Plain}, {three, Bold}}, {{three, Plain}}}}, {two, nil}})
		for _, r := range b.String() {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%q in %q", r, b.String())
			}
		}
		if n := b.Len(); n > 64*Longest {
			t.Fatalf("%d bytes", n)
		}
	})
}

// What does not hold is seen: an absent layer, and a fact that the machine could not give.
func TestLayersTellWhatIsMissing(t *testing.T) {
	var b strings.Builder
	Printer{W: &b}.Columns(Layers([]order.LayerReport{
		{Layer: order.Cgroup, State: order.Absent, Reason: "no controller", Effect: "only rlimits"},
		{Layer: order.Root, State: order.Proved, Facts: []order.Fact{{Name: "a", Got: "1"}, {Name: "hidepid", Reason: "old kernel"}}},
	}))
	for _, want := range []string{"absent  no controller", "only rlimits", "proved  1 facts", "without hidepid: old kernel"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in:\n%s", want, b.String())
		}
	}
}

// With a width no line is wider, whatever the cells hold: long words, wide characters, marks.
func FuzzWidth(f *testing.F) {
	f.Add("dangerous", "/filesystem/allowRead/0", "can read ~/"+strings.Repeat("y", 200)+" and more", 40)
	f.Add("a", strings.Repeat("漢字", 60), "e\u0301 \U0001f600", 33)
	f.Add("", strings.Repeat("/x", 40), "", 1)
	f.Fuzz(func(t *testing.T, one, two, three string, width int) {
		if width = max(0, min(width, 300)); width == 0 {
			return
		}
		var b strings.Builder
		Printer{W: &b, Width: width}.Columns([][]Cell{{{one, Red}, {two, Plain}, {three, Bold}}, {{Text: three}}})
		for line := range strings.SplitSeq(b.String(), "\n") {
			if n := TextWidth(line); n > max(width, narrowest) {
				t.Fatalf("%d columns of %d: %q", n, width, line)
			}
		}
	})
}

// Where little of a line is left the last cell begins a line of its own, further to the left.
func TestNarrow(t *testing.T) {
	var b strings.Builder
	Printer{W: &b, Width: 40}.Columns([][]Cell{{{Text: "dangerous"}, {Text: "/filesystem"}, {Text: "can read your whole home"}}})
	if got, want := b.String(), "  dangerous  /filesystem\n    can read your whole home\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// No character is taken for narrower than a terminal prints it.
func TestTextWidth(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{{"", 0}, {"añ…─│→", 6}, {"e\u0301", 1}, {"漢", 2}, {"ｆ", 2}, {"한", 2}, {"⌚", 2}, {"✅", 2}, {"⭐", 2}, {"\U0001f004", 2}, {"😀", 2}, {"𗀀", 2}} {
		if got := TextWidth(c.text); got != c.want {
			t.Errorf("%q: %d columns, want %d", c.text, got, c.want)
		}
	}
}
