package policy

import (
	"slices"
	"testing"
)

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		path, folder  string
		within, below bool
	}{
		{"/a/b", "/a", true, true},
		{"/a", "/a", true, false},
		{"/ab", "/a", false, false},
		{"/abc", "/a", false, false},
		{"/a", "/a/b", false, false},
		{"/a", "/", true, true},
		{"/", "/", true, false},
		{"/a/b", "/a/", true, true},
		{"/a/b/c", "/a/b/", true, true},
	} {
		if Within(c.path, c.folder) != c.within || Below(c.path, c.folder) != c.below {
			t.Errorf("%s and %s: within %v, below %v", c.path, c.folder, !c.within, !c.below)
		}
	}
}

func TestUpwards(t *testing.T) {
	for path, all := range map[string][]string{
		"/a/b": {"/a/b", "/a", "/"}, "/": {"/"}, "a/b": {"a/b", "a"}, `C:\a`: {`C:\a`}, "": {""},
	} {
		if got := slices.Collect(Upwards(path)); !slices.Equal(got, all) {
			t.Errorf("above %q are %q", path, got)
		}
	}
}

func TestDecide(t *testing.T) {
	grants, denies := []string{"/", "/a/b", "/a/b/c"}, []string{"/a", "/a/b/c"}
	says := func(at string) (bool, bool) { return slices.Contains(grants, at), slices.Contains(denies, at) }
	for _, c := range []struct {
		path, by string
		granted  bool
	}{
		{"/x/y", "/", true}, {"/a", "/a", false}, {"/a/x", "/a", false}, {"/a/b/x", "/a/b", true},
		{"/a/b/c", "/a/b/c", false}, {"/a/b/c/d", "/a/b/c", false}, {"relative", "", false},
	} {
		if by, granted := Decide(c.path, says); by != c.by || granted != c.granted {
			t.Errorf("%s: %q decides, %v", c.path, by, granted)
		}
	}
}
