package testbed

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lock is what is looked at of a package-lock.json, version 3.
type lock struct {
	Packages map[string]struct {
		Version, Resolved, Integrity string
		Dependencies                 map[string]string
		OptionalDependencies         map[string]string
	}
}

// locks are the folders that scripts/npm-cache installs, each with the least number of packages.
var locks = map[string]int{"testdata/npm": 50, "scripts/hosts/light": 50, "scripts/hosts/heavy": 5}

// A lock must say exactly what is installed and never where from.
func TestLocksNameNoPlace(t *testing.T) {
	for folder, least := range locks {
		t.Run(folder, func(t *testing.T) { checkLock(t, filepath.Join(root(t), folder), least) })
	}
}

func checkLock(t *testing.T, base string, least int) {
	text, err := os.ReadFile(filepath.Join(base, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var l lock
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatal(err)
	}
	if len(l.Packages) < least {
		t.Fatalf("%d packages: not the lock that was meant", len(l.Packages))
	}
	for name, p := range l.Packages {
		if p.Resolved != "" {
			t.Errorf("%s: resolved to %s", name, p.Resolved)
		}
		if name != "" && !strings.HasPrefix(p.Integrity, "sha512-") {
			t.Errorf("%s: integrity %q", name, p.Integrity)
		}
	}
	direct := l.Packages[""].Dependencies
	maps.Copy(direct, l.Packages[""].OptionalDependencies)
	for name, version := range direct {
		if got := l.Packages["node_modules/"+name].Version; got != version {
			t.Errorf("%s: package.json says %s, the lock %s", name, version, got)
		}
	}
}
