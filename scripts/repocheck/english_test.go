package repocheck

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// vague are words in place of the name of a thing, with how many of 1,000 words of comments may be such a word: in the
// production code, and in tests. Good Go has 1.2, 0.3 and 0.2. A number only falls.
var vague = []struct {
	word     *regexp.Regexp
	of, test float64
}{
	{regexp.MustCompile(`^what$`), 2.6, 16.5},
	{regexp.MustCompile(`^(who|whom|whose|nobody|somebody|anybody)$`), 0.7, 4.7},
	{regexp.MustCompile(`^told$`), 0.2, 1.9},
}

// TestEnglish counts vague words in comments.
func TestEnglish(t *testing.T) {
	words := regexp.MustCompile(`[a-z']+`)
	var all [2]float64
	found := make([][2]float64, len(vague))
	for _, s := range sources(t) {
		if strings.HasSuffix(s.path, "_gen.go") {
			continue
		}
		kind := 0
		if s.test || below(s.dir, "scripts") || below(s.dir, testOnly) {
			kind = 1
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), s.path), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range f.Comments {
			for _, word := range words.FindAllString(strings.ToLower(group.Text()), -1) {
				all[kind]++
				for i, v := range vague {
					if v.word.MatchString(word) {
						found[i][kind]++
					}
				}
			}
		}
	}
	for i, v := range vague {
		for kind, most := range [2]float64{v.of, v.test} {
			if n := 1000 * found[i][kind] / all[kind]; n > most {
				t.Errorf("%s in the comments of %s: %.2f of 1,000 words, at most %.1f: name the thing", v.word,
					[2]string{"production code", "tests and scripts"}[kind], n, most)
			}
		}
	}
	if all[0] < 50_000 {
		t.Errorf("only %.0f words of comments", all[0])
	}
}
