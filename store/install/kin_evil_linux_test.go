package install

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// kinWords are the words of the refusal by another manager than npm, where they are others than npm's. Each line names
// what leads out; the package that was typed stands in front of every line.
var kinWords = map[string][]string{
	"archive of another port":               {":9", "none of your registries"},
	"by git":                                {"elsewhere.example/dep.git", "only what a registry serves"},
	"by git, in short":                      {"x/dep", "only what a registry serves"},
	"by URL":                                {"https://elsewhere.example/dep.tgz", "only what a registry serves"},
	"by folder":                             {"etc", "only what a registry serves"},
	"dependency that leads out":             {`"../x"`, "invalid"},
	"dependency of an alias that leads out": {"../x", "invalid"},
}

// oneWords are those of one manager alone.
var oneWords = map[string][]string{
	// Harmless: deno asks the registry's host for the path /../x, and what was served there would lie in the stage.
	"deno dependency that leads out":             {"../x is not known to 127.0.0.1", "(404)"},
	"deno dependency of an alias that leads out": {"../x is not known to 127.0.0.1", "(404)"},
	// pnpm 10 asks the refused host again and again without a word.
	"pnpm10 by URL": {"nothing came for 5s", "elsewhere.example is none of your registries and was refused"},
}

// files are all files and links of a home, but those that the store keeps of what was asked for.
func (h *home) files(t *testing.T) (all []string) {
	t.Helper()
	for _, folder := range []string{h.path, h.store.Path} {
		err := filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				all = append(all, at)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// What nobody should install, but for what needs npm's own lock file in an archive.
func TestKinRefusesEvil(t *testing.T) {
	for _, k := range eachKind() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, good()...)
			h.use(t, k.program)
			h.registry.Add(pack{Name: "dep", Version: "1.0.0"})
			before := h.files(t)
			t.Run("all", func(t *testing.T) {
				for i, e := range evils {
					if strings.HasPrefix(e.name, "shrinkwrap") || k.program == "deno" && e.name == "by folder" {
						continue // deno passes a dependency by folder over, see below
					}
					for _, words := range [][]string{kinWords[e.name], oneWords[k.name+" "+e.name]} {
						if words != nil {
							e.words = words
						}
					}
					e.evil.Name = fmt.Sprintf("evil%d", i)
					needy := fmt.Sprintf("x%d", i)
					h.registry.Add(runnable(e.evil), runnable(pack{Name: needy, Manifest: needs(e.evil.Name, "1")}))
					t.Run(e.name, func(t *testing.T) {
						t.Parallel()
						h := *h
						if strings.HasPrefix(e.words[0], "nothing came") {
							h.options.stall = 5 * time.Second
						}
						h.refusedBoth(t, k.line, e.evil.Name, needy, e.words...)
					})
				}
			})
			h.nothingLeft(t)
			if after := h.files(t); !slices.Equal(before, after) {
				t.Errorf("files are left: %q", after)
			}
			h.must(t, k.line+"good")
			if k.program == "deno" {
				h.registry.Add(runnable(pack{Name: "needy", Manifest: needs("dep", "file:../../../../etc")}))
				if r := h.must(t, k.line+"needy"); r.Package.Packages != 1 {
					t.Errorf("%+v", r.Package)
				}
			}
		})
	}
}
