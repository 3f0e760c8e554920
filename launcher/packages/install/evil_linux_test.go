package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

type (
	pack = registrytest.Package
	file = registrytest.File
	keys = map[string]any
)

// needs is a package.json with one dependency.
func needs(name, spec string) keys { return keys{"dependencies": map[string]string{name: spec}} }

// flipped changes a bit of an archive, cut loses its end.
func flipped(b []byte) []byte { b[len(b)/2] ^= 1; return b }
func cut(b []byte) []byte     { return b[:len(b)/2] }

// evils are packages that must not be installed, with words of the refusal. Each is asked for as a dependency of x, too.
var evils = []struct {
	name  string
	evil  pack
	words []string
}{
	{"changed on its way", pack{Change: flipped}, []string{"the archive of evil", "it was changed or cut off"}},
	{"SHA-1 alone", pack{Integrity: "sha1"}, []string{"only a sha1 hash of the archive of evil"}},
	{"archive of another host", pack{Archive: "http://elsewhere.example/evil-1.0.0.tgz"}, []string{"elsewhere.example", "none of your registries"}},
	{"by git", pack{Manifest: needs("dep", "git+https://elsewhere.example/dep.git")}, []string{"dependency dep", "elsewhere.example/dep.git", "only what a registry serves"}},
	{"shrinkwrap without a hash", pack{Manifest: keys{"_hasShrinkwrap": true, "dependencies": map[string]string{"dep": "1"}}, Files: []file{{Name: "npm-shrinkwrap.json",
		Text: `{"lockfileVersion":3,"packages":{"":{"dependencies":{"dep":"1"}},"node_modules/dep":{"version":"1.0.0","resolved":"REGISTRYdep/-/1.0.0.tgz"}}}`}}},
		[]string{"no hash of the archive of dep"}},
	{"cut off", pack{Change: cut}, []string{"the archive of evil", "has not the hash"}},
	{"another hash", pack{Integrity: "sha512-" + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="}, []string{"the archive of evil", "has not the hash"}},
	{"without a hash", pack{Integrity: "none"}, []string{"no hash of the archive of evil"}},
	{"archive of another port", pack{Archive: "http://127.0.0.1:9/evil-1.0.0.tgz"}, []string{"127.0.0.1:9"}},
	{"by git, in short", pack{Manifest: needs("dep", "github:x/dep")}, []string{"dependency dep", "github"}},
	{"by URL", pack{Manifest: needs("dep", "https://elsewhere.example/dep.tgz")}, []string{"dependency dep", "https://elsewhere.example/dep.tgz", "only what a registry serves"}},
	{"by folder", pack{Manifest: needs("dep", "file:../../../../etc")}, []string{"dependency dep"}},
	{"dependency that nobody has", pack{Manifest: needs("nobody-has-that", "1")}, []string{"nobody-has-that"}},
	{"dependency that leads out", pack{Manifest: needs("../x", "1")}, []string{"../x"}},
	{"dependency of an alias that leads out", pack{Manifest: needs("x", "npm:../x@1")}, []string{"aliases only work for registry deps"}},
	{"shrinkwrap of elsewhere", pack{Manifest: keys{"_hasShrinkwrap": true, "dependencies": map[string]string{"dep": "1"}}, Files: []file{{Name: "npm-shrinkwrap.json",
		Text: `{"lockfileVersion":3,"packages":{"":{"dependencies":{"dep":"1"}},"node_modules/dep":{"version":"1.0.0","resolved":"http://elsewhere.example/dep.tgz"}}}`}}},
		[]string{"elsewhere.example"}},
	{"bundle in a shrinkwrap without a hash", pack{Manifest: keys{"_hasShrinkwrap": true, "bundleDependencies": []string{"dep"}, "dependencies": map[string]string{"dep": "1"}}, Files: []file{{Name: "npm-shrinkwrap.json",
		Text: `{"lockfileVersion":3,"packages":{"":{"dependencies":{"dep":"1"}},"node_modules/dep":{"version":"1.0.0","resolved":"REGISTRYdep/-/1.0.0.tgz"}}}`}}},
		[]string{"no hash of the archive of dep"}},
	{"bundle in a shrinkwrap of elsewhere", pack{Manifest: keys{"_hasShrinkwrap": true, "bundleDependencies": []string{"dep"}, "dependencies": map[string]string{"dep": "1"}}, Files: []file{{Name: "npm-shrinkwrap.json",
		Text: `{"lockfileVersion":3,"packages":{"":{"dependencies":{"dep":"1"}},"node_modules/dep":{"version":"1.0.0","resolved":"http://elsewhere.example/dep.tgz"}}}`}}},
		[]string{"elsewhere.example"}},
	{"bundle in a shrinkwrap of no URL", pack{Manifest: keys{"_hasShrinkwrap": true, "bundleDependencies": []string{"dep"}, "dependencies": map[string]string{"dep": "1"}}, Files: []file{{Name: "npm-shrinkwrap.json",
		Text: `{"lockfileVersion":3,"packages":{"":{"dependencies":{"dep":"1"}},"node_modules/dep":{"version":"1.0.0"}}}`}}},
		[]string{"dependency dep"}},
}

func TestEvilPackages(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	h.registry.Add(pack{Name: "dep", Version: "1.0.0"})
	t.Run("all", func(t *testing.T) {
		for i, e := range first(2, evils...) {
			e.evil.Name = fmt.Sprintf("evil%d", i)
			for i, f := range e.evil.Files {
				e.evil.Files[i].Text = strings.ReplaceAll(f.Text, "REGISTRY", h.registry.URL)
			}
			needy := fmt.Sprintf("x%d", i)
			h.registry.Add(runnable(e.evil), runnable(pack{Name: needy, Manifest: needs(e.evil.Name, "1")}))
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				h.refusedBoth(t, "npx -y ", e.evil.Name, needy, e.words...)
			})
		}
	})
	h.nothingLeft(t)
	if !testing.Short() { // installs behind refusals: TestLogins and TestMinAge
		h.must(t, "npx -y good")
	}
}

// What npm leaves out of an archive is not in the store, and the rest is.
func TestEntriesThatLeadOut(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(os.TempDir(), "mcp-sandbox-evil-"+t.Name())
	h := newHome(t, runnable(pack{Name: "evil", Files: []file{
		{Name: "../../../evil", Text: "x", Raw: true}, {Name: "package/../../../evil", Text: "x", Raw: true},
		{Name: outside, Text: "x", Raw: true}, {Name: "link", Link: "../../../.."}, {Name: "link/evil", Text: "x"},
		{Name: "hard", Link: "/etc/passwd", Hard: true}, {Name: "good", Text: "x"},
	}}))
	r := h.must(t, "npx -y evil")
	folder := filepath.Join(r.Package.Path, "node_modules", "evil")
	if _, err := os.Stat(filepath.Join(folder, "good")); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{outside, r.Package.Path + "/evil", filepath.Dir(r.Package.Path) + "/evil", folder + "/hard", h.path + "/evil"} {
		if _, err := os.Lstat(bad); err == nil {
			t.Errorf("%s is there", bad)
		}
	}
	if info, err := os.Lstat(folder + "/link"); err == nil && info.Mode()&os.ModeSymlink != 0 {
		t.Error("a link is in the package")
	}
}

// A bin that is not in the package is none of its programs, and a bin's name leads nowhere.
func TestBinsThatLeadOut(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()...)
	h.registry.Add(
		runnable(pack{Name: "out", Manifest: keys{"bin": "../../../../../../../bin/sh"}}),
		runnable(pack{Name: "absolute", Manifest: keys{"bin": map[string]string{"absolute": "/bin/sh"}}}),
		runnable(pack{Name: "neighbour", Manifest: keys{"bin": "../good/cli.js", "dependencies": map[string]string{"good": "1"}}}),
		runnable(pack{Name: "named", Manifest: keys{"bin": map[string]string{"../../../named": "cli.js", "named": "cli.js"}}}),
		runnable(pack{Name: "nothing", Manifest: keys{"bin": map[string]string{}}}))
	for _, c := range first(1, [][2]string{{"npx -y neighbour", "program neighbour of neighbour"}, {"npx -y out", "program out of out"},
		{"npx -y absolute", "program absolute of absolute"}, {"npx -y nothing", "nothing has no program"},
		{"npx -p good nope", `good has no program "nope"`}}...) {
		h.refused(t, c[0], c[1])
	}
	r := h.must(t, "npx -y named")
	if _, err := os.Lstat(filepath.Join(r.Package.Path, "named")); err == nil {
		t.Error("a bin's name led out of .bin")
	}
}

// A dependency that has a program of the same name does not take the place of the package's own.
func TestBinOfADependency(t *testing.T) {
	long(t)
	t.Parallel()
	for _, c := range []struct {
		dep     string
		scripts bool
	}{{"zzz", false}, {"aaa", false}, {"aaa", true}} {
		bins := map[string]string{"main": "cli.js", "helper": "cli.js"}
		more := keys{"scripts": keys{"install": "true"}, "bin": bins, "dependencies": map[string]string{c.dep: "1"}}
		h := newHome(t, runnable(pack{Name: "main", Manifest: more}), runnable(pack{Name: c.dep, Manifest: keys{"bin": bins}}))
		h.options.Scripts = c.scripts
		for _, line := range []string{"npx -y main", "npx -y -p main helper"} { // of one install
			r := h.must(t, line)
			file, err := filepath.EvalSymlinks(r.Command[0])
			if err != nil || filepath.Base(filepath.Dir(file)) != "main" {
				t.Errorf("%s: %s, %v", line, file, err)
			}
		}
	}
}

// Versions that are younger than wanted are passed over, and where no other will do that is told: of dependencies too.
func TestMinAge(t *testing.T) {
	t.Parallel()
	young := time.Now().Add(-2 * 24 * time.Hour)
	h := newHome(t, runnable(pack{Name: "x", Version: "1.0.0", Manifest: needs("dep", "^1.0.0")}), pack{Name: "dep", Version: "1.0.0"},
		pack{Name: "dep", Version: "1.1.0", Published: young}, runnable(pack{Name: "y", Manifest: needs("dep", "1.1.0")}),
		runnable(pack{Name: "z", Version: "1.1.0", Published: young}))
	h.options.MinAge = 7 * 24 * time.Hour
	for _, c := range first(1, [][]string{{"y", "dep@1.1.0", "with a date before"}, {"z@1.1.0", "z@1.1.0", "with a date before"}}...) {
		h.refused(t, "npx -y "+c[0], c[1:]...)
	}
	r := h.must(t, "npx -y x")
	if b, err := os.ReadFile(r.Package.Path + "/node_modules/dep/package.json"); err != nil || string(b) != `{"name":"dep","version":"1.0.0"}` {
		t.Errorf("%s, %v", b, err)
	}
	if testing.Short() {
		return // "with a date before" says that it was the age
	}
	h.options.MinAge = 0
	for _, line := range []string{"npx -y y", "npx -y z@1.1.0"} {
		h.must(t, line)
	}
}
