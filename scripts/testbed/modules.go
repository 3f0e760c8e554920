package testbed

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Modules is the node_modules folder of testdata/npm, which every uid can read. Without Node the test is skipped as by
// [Node]. With Node and nothing installed the test fails: a hole in the suite must be seen.
func Modules(tb testing.TB) string {
	tb.Helper()
	Node(tb)
	return Readable(tb, installedModules(tb))
}

func installedModules(tb testing.TB) string {
	tb.Helper()
	dir, err := CacheDir(root(tb), "testdata/npm")
	if err != nil {
		tb.Fatal(err)
	}
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err != nil {
		tb.Fatalf("npm packages are not installed (%v): make npm-cache", err)
	}
	return modules
}

// Runtime is the path of deno, bun or pnpm of testdata/npm, which every uid can execute. npm installs the packages of
// its own system. Where npm has none the test is skipped, or fails where [RequireEnv] names the program.
func Runtime(tb testing.TB, name string) string {
	tb.Helper()
	place := map[string]string{
		"deno amd64": "@deno/linux-x64-glibc", "deno arm64": "@deno/linux-arm64-glibc",
		"bun amd64": "@oven/bun-linux-x64/bin", "bun arm64": "@oven/bun-linux-aarch64/bin",
		"pnpm amd64": "@pnpm/exe.linux-x64", "pnpm arm64": "@pnpm/exe.linux-arm64",
	}[name+" "+runtime.GOARCH]
	Node(tb)
	dir := filepath.Join(installedModules(tb), place)
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		Missing(tb, name, "npm has not installed "+name+" here: "+err.Error())
	}
	return filepath.Join(Readable(tb, dir), name)
}

var copying sync.Mutex

// Readable gives dir itself where every uid can get to it, and a copy in the scratch folder where a folder above dir is
// closed, as in a clone below root's home. The copy of a node_modules folder has no runtimes: see [Runtime].
func Readable(tb testing.TB, dir string) string {
	tb.Helper()
	for up := dir; up != filepath.Dir(up); up = filepath.Dir(up) {
		info, err := os.Stat(up)
		if err != nil {
			tb.Fatal(err)
		}
		if info.Mode()&0o001 == 0 {
			return copied(tb, dir)
		}
	}
	return dir
}

func copied(tb testing.TB, dir string) string {
	tb.Helper()
	copying.Lock()
	defer copying.Unlock()
	to := filepath.Join(Scratch(tb), strings.TrimPrefix(filepath.Base(dir), "."))
	if _, err := os.Stat(to); err == nil {
		return to
	}
	if err := os.CopyFS(to, withoutRuntimes{os.DirFS(dir).(fs.ReadLinkFS)}); err != nil {
		tb.Fatal(err)
	}
	return to
}

// withoutRuntimes hides the large programs of a node_modules folder.
type withoutRuntimes struct{ fs.ReadLinkFS }

func (w withoutRuntimes) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(w.ReadLinkFS, name)
	large := []string{"@deno", "@oven", "@pnpm"}
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return slices.Contains(large, e.Name()) }), err
}
