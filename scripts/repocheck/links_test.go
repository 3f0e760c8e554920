package repocheck

import (
	"slices"
	"strings"
	"testing"
)

// Packages that the shim links: each costs every start; docs/performance.md has the numbers.
var heavy = strings.Fields("fmt encoding/json reflect regexp net os/exec log text/template github.com/elastic/go-seccomp-bpf github.com/spf13/pflag github.com/godbus/dbus")

func TestShimLinksNothingHeavy(t *testing.T) {
	for _, s := range sources(t) {
		shim := below(s.dir, "policy") || below(s.dir, "init") || below(s.dir, "platform")
		if !shim || s.test || below(s.dir, testOnly) || strings.HasSuffix(s.dir, "/gen") || strings.Contains(s.dir, "/testdata") {
			continue
		}
		for _, p := range s.imports {
			// net/netip is addresses as values and links nothing of net.
			if p != "net/netip" && slices.ContainsFunc(heavy, func(h string) bool { return below(p, h) }) {
				t.Errorf("%s imports %s", s.path, p)
			}
		}
	}
}

// What answers questions runs beside no server: the shim links none of it.
func TestShimAnswersNothing(t *testing.T) {
	answers := []string{"init/ask", "init/explain", "init/internal/why"}
	within := func(dir string, folders []string) bool {
		return slices.ContainsFunc(folders, func(folder string) bool { return below(dir, folder) })
	}
	found := false
	for _, s := range sources(t) {
		if s.test || !below(s.dir, "init") && s.dir != "cmd/mcp-sandbox-init" || within(s.dir, answers) {
			continue
		}
		for _, p := range s.imports {
			own, is := strings.CutPrefix(p, module+"/")
			found = found || own == "init/reexec"
			if is && within(own, answers) && !below(s.dir, testOnly) {
				t.Errorf("%s imports %s", s.path, p)
			}
		}
	}
	if !found {
		t.Error("nothing imports init/reexec: the test looks in the wrong place")
	}
}
