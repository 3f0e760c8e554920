//go:build darwin || linux

package state

import (
	"os"
	"strings"
	"testing"
)

// The launch that makes a folder is its maker, for good; of a folder that was there nobody is.
func TestMaker(t *testing.T) {
	base, me := stage(t)
	root := base + "/mcp-sandbox/state/"
	if maker, there := Maker("a"); there || maker != "" {
		t.Errorf("before there is any: %q, %t", maker, there)
	}
	for _, maker := range []string{"/p/first.json", "/p/second.json"} {
		me.Maker = maker
		opened(t, "a", me)
		if got, there := Maker("a"); !there || got != "/p/first.json" {
			t.Errorf("%s: %q, %t", maker, got, there)
		}
	}
	if err := os.Mkdir(root+"old", 0o700); err != nil {
		t.Fatal(err)
	}
	opened(t, "old", me)
	if got, there := Maker("old"); !there || got != "" {
		t.Errorf("of one that was there: %q, %t", got, there)
	}
	if err := Remove("a"); err != nil {
		t.Fatal(err)
	}
	me.Maker = strings.Repeat("x", 2*mostMaker)
	opened(t, "a", me)
	if got, there := Maker("a"); !there || len(got) != mostMaker {
		t.Errorf("made once more: %d bytes, %t", len(got), there)
	}
	if err := os.Symlink("/etc/passwd", root+".linked"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(root+"linked", 0o700); err != nil {
		t.Fatal(err)
	}
	if got, there := Maker("linked"); !there || got != "" {
		t.Errorf("through a link: %q, %t", got, there)
	}
}
