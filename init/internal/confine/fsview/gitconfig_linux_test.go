package fsview

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// A work tree whose configuration is longer, or names more, than is looked at is read-only as a whole. The user's
// configuration may name anything, so with such a one there is no write grant.
func TestGitConfigTooLong(t *testing.T) {
	names := func(n int) string { return "[core]\\n" + strings.Repeat("hooksPath = p/x\\n", n) }
	// Of several files each has less than the bound.
	folders := func(n int) string { return " = [core]\\n" + strings.Repeat("hooksPath = ../n\\n", n) }
	long := func(n int) string { return strings.Repeat("#", n-1) + "\\n" }
	const worktree = "\n p/.git/config.worktree"
	for _, c := range []struct {
		name, text string
		whole      bool
	}{
		{"little", " = " + names(9), false},
		{"a file with many names", " = " + names(maxNamed+1), true},
		{"a file with half of them", folders(maxNamed / 3), false},
		{"two files with half of them each", folders(maxNamed/3) + worktree + folders(maxNamed/3), true},
		{"a long file", " = " + long(maxConfig-1), false},
		{"too long a file", " = " + long(maxConfig), true},
		{"what is named behind the bound", " = " + long(maxConfig) + "[core]\\nhooksPath = ../x\\n", true},
	} {
		root := plant(t, "home/\n p/.git/config"+c.text)
		v, err := Plan(wish{write: []string{"T/p"}}.request(root))
		must(t, err)
		want := "T/p/.git"
		if c.whole {
			want = "T/p"
		}
		if told := strings.Contains(strings.Join(v.Warnings, " "), errConfig.Error()); told != c.whole || !slices.Equal(relative(root, v.Protected), []string{want}) {
			t.Errorf("%s: protected %q, warnings %q", c.name, v.Protected, v.Warnings)
		}
		root = plant(t, "home/.gitconfig"+strings.ReplaceAll(c.text, "p/.git/config.worktree", "home/.config/git/config")+"\n p/x")
		if _, err := Plan(wish{write: []string{"T/p"}}.request(root)); errors.Is(err, ErrSearch) != c.whole || errors.Is(err, errConfig) != c.whole {
			t.Errorf("%s, of the user: %v", c.name, err)
		}
	}
}
