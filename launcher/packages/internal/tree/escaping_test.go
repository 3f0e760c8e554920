package tree

import (
	"strings"
	"testing"
)

func TestEscaping(t *testing.T) {
	const python = "/usr/bin/python3"
	for _, c := range []struct{ links, want string }{
		{"a/b>c", ""},
		{"a/b>../c", ""},
		{"a/b>../../c", "a/b"},
		{"a/b>../c/../../d", "a/b"},
		{"a>b", ""},
		{"a>..", "a"},
		{"a>.", ""},
		{"a>/etc/passwd", "a"},
		{"a>" + python, ""},
		{"a>" + python + "/../x", "a"},
		{"bin>lib/bin b>bin/../../x", ""},     // lib/bin/../../x is x
		{"bin>lib b>bin/../../x", "b"},        // lib/../../x is above
		{"deep>x/y/z b>deep/../../../f", ""},  // x/y/z/../../.. is the folder
		{"deep>x b>deep/../../f", "b"},        // x/../.. is above
		{"x/up>.. b>x/up/../f", "b"},          // (x/..)/.. is above
		{"a>b b>a", ""},                       // ELOOP
		{"py>" + python + " b>py/../x", "b"},  // through a target that is right as a target alone
		{"py>" + python + " b>py", ""},        // to what is right
		{"a>missing/../../f", "a"},            // nothing there yet
		{"a>" + strings.Repeat("b/", 60), ""}, // long
		{"a>..x/...", ""},
	} {
		var links []Entry
		for word := range strings.FieldsSeq(c.links) {
			path, target, _ := strings.Cut(word, ">")
			links = append(links, Entry{Path: path, Kind: Link, Target: target})
		}
		got := Escaping(links, []string{python})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.links, got, c.want)
		}
	}
}

// A package cannot keep an install busy with links that lead through links.
func TestEscapingEnds(t *testing.T) {
	var links []Entry
	for i := range 40 {
		name := strings.Repeat("d", 100)
		links = append(links, Entry{Path: "l" + string(rune('A'+i)), Kind: Link,
			Target: strings.Repeat(name+"/", 30) + strings.Repeat("../", 30) + "l" + string(rune('A'+i+1))})
	}
	for i := range 20_000 {
		links = append(links, Entry{Path: "x" + string(rune(1000+i)), Kind: Link, Target: "lA"})
	}
	if Escaping(links, nil) == "" {
		t.Error("twenty thousand links through forty others are followed to their end")
	}
}

// Nor with long targets, whose parts are no names.
func TestEscapingEndsInLongTargets(t *testing.T) {
	var links []Entry
	for i := range 40 {
		links = append(links, Entry{Path: "l" + string(rune('A'+i)), Kind: Link, Target: "l" + string(rune('A'+i+1)) + strings.Repeat("/.", 2000)})
	}
	for i := range 1000 {
		links = append(links, Entry{Path: "x" + string(rune(1000+i)), Kind: Link, Target: "lA"})
	}
	if Escaping(links, nil) == "" {
		t.Error("a thousand links through forty others of 4 KB are followed to their end")
	}
}
