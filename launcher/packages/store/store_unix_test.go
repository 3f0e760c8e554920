//go:build darwin || linux

package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// tempHome is a folder of the test's own, removed although packages are read-only.
func tempHome(t testing.TB) string {
	home, err := os.MkdirTemp("", "store")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		filepath.WalkDir(home, func(path string, e os.DirEntry, err error) error {
			if e != nil && e.IsDir() {
				os.Chmod(path, 0o700)
			}
			return nil
		})
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	return home
}

func openIn(t testing.TB, home string) *Store {
	s, err := Open(func(name string) string { return map[string]string{"HOME": home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func specsOf(t testing.TB, words ...string) (specs []startline.Spec) {
	for _, word := range words {
		spec, err := startline.ParseSpec(word)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, spec)
	}
	return specs
}

// wantedOf is what a start of npm's packages asks for.
func wantedOf(t testing.TB, words ...string) Wanted {
	return Wanted{Manager: "npm", Specs: specsOf(t, words...)}
}

// installed is a package as an install describes one.
func installed(name, version string) Package {
	return Package{Identity: Identity{Ecosystem: "npm", Name: name, Version: version, Integrity: "sha512-x",
		Registry: "https://registry.example/"}, Contents: Contents{Lock: "package-lock.json", Packages: 1}}
}

// fill is a fake install.
func fill(t testing.TB, folder, lock string) {
	for path, text := range map[string]string{"package-lock.json": lock, "node_modules/a/index.js": "console.log(1)\n",
		"node_modules/a/package.json": "{}", "node_modules/.bin/.keep": ""} {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../a/index.js", folder+"/node_modules/.bin/a"); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder+"/node_modules/a/index.js", 0o4711); err != nil {
		t.Fatal(err)
	}
}

// install makes a package of a fake install.
func install(t testing.TB, s *Store, spec string, p Package, lock string) *Package {
	t.Helper()
	g, err := s.Begin(t.Context(), wantedOf(t, spec), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Abort()
	fill(t, g.Folder, lock)
	made, err := g.Commit(p)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestInstallAndFind(t *testing.T) {
	s := openIn(t, tempHome(t))
	const name = "@scope/server"
	if _, err := s.Find(wantedOf(t, "npm:"+name), 0); !errors.Is(err, ErrNone) {
		t.Fatal(err)
	}
	made := install(t, s, "npm:"+name+"@^1", installed(name, "1.2.3"), "lock")
	sum := sha256.Sum256([]byte("lock"))
	if want := s.Path + "/npm/@scope/server/1.2.3-" + hex.EncodeToString(sum[:6]); made.Path != want {
		t.Errorf("it lies at %s, want %s", made.Path, want)
	}
	for _, c := range []struct {
		spec string
		want error
	}{{"npm:" + name + "@^1", nil}, {"npm:" + name + "@1.2.3", nil}, {"npm:" + name + "@1.2.4", ErrNone},
		{"npm:" + name, ErrNone}, {"npm:server@1.2.3", ErrNone}} {
		p, err := s.Find(wantedOf(t, c.spec), 0)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.spec, err, c.want)
		}
		if err == nil {
			if err := p.Check(); err != nil || p.Path != made.Path || p.Identity != made.Identity {
				t.Errorf("%s: %+v, %v", c.spec, p, err)
			}
		}
	}
	if _, err := s.Find(Wanted{Manager: "pnpm", Specs: specsOf(t, "npm:"+name+"@^1")}, 0); !errors.Is(err, ErrNone) {
		t.Errorf("another manager's: %v", err)
	}
	for path, want := range map[string]os.FileMode{"": 0o555 | os.ModeDir, "node_modules/a": 0o555 | os.ModeDir,
		"node_modules/a/index.js": 0o555, "node_modules/a/package.json": 0o444, ManifestName: 0o444} {
		if st, err := os.Lstat(filepath.Join(made.Path, path)); err != nil || st.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", path, st.Mode(), err, want)
		}
	}
	if d, err := made.Verify(); err != nil || len(d) > 0 {
		t.Errorf("verify: %v, %v", d, err)
	}
}

// A search finds what was installed from its own source: by the record, and by the version alone. The same archive from
// another source is another package.
func TestSources(t *testing.T) {
	s := openIn(t, tempHome(t))
	sources := []string{"", "a", "b"}
	made := map[string]string{}
	for _, source := range sources {
		w := wantedOf(t, "npm:server@1.0.0")
		w.Source = source
		if p, err := s.Find(w, 0); !errors.Is(err, ErrNone) {
			t.Errorf("source %q has before its install %+v, %v", source, p, err)
		}
		g, err := s.Begin(t.Context(), w, nil)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, g.Folder, "lock")
		p, err := g.Commit(installed("server", "1.0.0"))
		if err != nil || p.Source != source {
			t.Fatalf("%+v, %v", p, err)
		}
		made[source] = p.Path
	}
	for _, source := range sources {
		w := wantedOf(t, "npm:server@1.0.0")
		w.Source = source
		for _, by := range []string{"record", "version"} {
			if p, err := s.Find(w, 0); err != nil || p.Path != made[source] || p.Check() != nil {
				t.Errorf("source %q, by its %s: %+v, %v", source, by, p, err)
			}
			if by == "record" {
				if err := s.Forget(Resolution{"npm", source, []string{"npm:server@1.0.0"}, ""}); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestAge(t *testing.T) {
	s := openIn(t, tempHome(t))
	p := installed("server", "1.0.0")
	p.MinAge = 24 * time.Hour
	install(t, s, "npm:server@1.0.0", p, "lock")
	if _, err := s.Find(wantedOf(t, "npm:server@1.0.0"), 24*time.Hour); err != nil {
		t.Error(err)
	}
	_, err := s.Find(wantedOf(t, "npm:server@1.0.0"), 25*time.Hour)
	if young, ok := errors.AsType[*TooYoung](err); !ok || young.Package.Version != "1.0.0" || young.Age < p.MinAge {
		t.Errorf("%v", err)
	}
	// the same version again, found with a greater age: now that is known
	p.MinAge = 48 * time.Hour
	install(t, s, "npm:server@1.0.0", p, "lock")
	if _, err := s.Find(wantedOf(t, "npm:server@1.0.0"), 47*time.Hour); err != nil {
		t.Error(err)
	}
	p.MinAge = 0 // and nothing forgets it
	install(t, s, "npm:server@1.0.0", p, "lock")
	if _, err := s.Find(wantedOf(t, "npm:server@1.0.0"), 47*time.Hour); err != nil {
		t.Error(err)
	}
}

func TestListAndPrune(t *testing.T) {
	s := openIn(t, tempHome(t))
	old := install(t, s, "npm:server", installed("server", "1.0.0"), "one")
	install(t, s, "npm:server", installed("server", "1.1.0"), "two") // an update
	install(t, s, "npm:@a/b", installed("@a/b", "2.0.0"), "three")
	all, broken, err := s.List()
	var got []string
	for _, p := range all {
		got = append(got, p.Name+" "+p.Version+" "+filepath.Join(p.Specs...))
	}
	if want := []string{"@a/b 2.0.0 npm:@a/b", "server 1.0.0 ", "server 1.1.0 npm:server"}; !slices.Equal(got, want) {
		t.Errorf("%q, %v, %v, want %q", got, broken, err, want)
	}
	done, err := s.Prune(-1)
	if err != nil || len(done.Removed) != 1 || done.Removed[0].Path != old.Path {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := os.Lstat(old.Path); !os.IsNotExist(err) {
		t.Error(err)
	}
	if done, err = s.Prune(0); err != nil || len(done.Removed) != 2 || done.Bytes != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	for _, folder := range []string{"npm/*", ".stages/*", ".index/*", ".specs/*"} {
		if left, _ := filepath.Glob(s.Path + "/" + folder); len(left) > 0 {
			t.Errorf("left: %s", left)
		}
	}
}
