package fsview

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// A work tree whose configuration names more than is looked at is read-only as a whole. The user's configuration may
// name anything, so with such a one there is no write grant.
func TestGitConfigTooLong(t *testing.T) {
	const many = " = [core]\\n"
	names := strings.Repeat("pager = p/x\\n", maxNamed+1)
	root := plant(t, "home/\n p/.git/config"+many+names)
	v, err := Plan(wish{write: []string{"T/p"}}.request(root))
	must(t, err)
	if !slices.Equal(relative(root, v.Protected), []string{"T/p"}) || !strings.Contains(strings.Join(v.Warnings, " "), errConfig.Error()) {
		t.Errorf("protected %q, warnings %q", v.Protected, v.Warnings)
	}
	root = plant(t, "home/.gitconfig"+many+names+"\n p/x")
	if _, err := Plan(wish{write: []string{"T/p"}}.request(root)); !errors.Is(err, ErrSearch) || !errors.Is(err, errConfig) {
		t.Errorf("%v", err)
	}
}
