// Package debian gets kernels and programs out of Debian's packages without installing them, from the mirrors that this
// machine's apt knows.
//
//	s := debian.Source{Package: "linux-image-6.12-cloud-amd64", Release: "6.12."}
//	k, err := debian.Fetch(ctx, ".cache/kernels", s)
//
// A folder of the cache is whole or not there, and its name changes with the packages' versions. Two programs may get
// the same packages at once. A failure by the network or another apt is retried, a bounded number of times.
package debian

import (
	"context"
	_ "embed" // collect.sh
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Source is where a kernel comes from.
type Source struct {
	Package string // the metapackage of its newest version
	Release string // what that version begins with
	Suite   string // the suite that has it; "": those of this machine
}

// ErrNotServed is of a package that the mirrors do not have, have another version of by now, or do not hand out.
var ErrNotServed = errors.New("not served")

// Temporary is how the names of folders in a cache begin that are not whole yet.
const Temporary = "get-"

// A Kernel is an image, and a folder of modules whose names sort in the order in which they are loaded.
type Kernel struct{ Image, Modules string }

// collect copies a kernel's image and modules out of its unpacked packages.
//
//go:embed collect.sh
var collect string

// Fetch returns a kernel, out of the cache or from the mirror.
func Fetch(ctx context.Context, cache string, s Source) (Kernel, error) {
	dir, err := cached(ctx, cache, &s, collect, func(a *apt) ([]string, error) { return a.kernel(ctx, &s) })
	return Kernel{filepath.Join(dir, "vmlinuz"), filepath.Join(dir, "modules")}, err
}

// Unpack returns a folder with the files of packages of this machine's own suites, out of the cache or from the mirror.
func Unpack(ctx context.Context, cache string, names ...string) (string, error) {
	return UnpackOf(ctx, cache, "", names...)
}

// UnpackOf is Unpack of another suite.
func UnpackOf(ctx context.Context, cache, suite string, names ...string) (string, error) {
	choose := func(*apt) ([]string, error) { return names, nil }
	return cached(ctx, cache, &Source{Suite: suite}, `mv "$PWD" "$1"`, choose)
}

// kernel names the packages of a metapackage's newest kernel, the image first. From Linux 7 on there are three.
func (a *apt) kernel(ctx context.Context, s *Source) ([]string, error) {
	text, err := a.output(ctx, "", "apt-cache", "depends", "--recurse", "--important", s.Package)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNotServed, s.Package, err)
	}
	names := regexp.MustCompile(`(?m)^linux-(image|binary|modules)-[0-9].*$`).FindAllString(string(text), -1)
	names = slices.DeleteFunc(names, func(name string) bool { return name == s.Package })
	if len(names) == 0 || !strings.HasPrefix(names[0], "linux-image-"+s.Release) {
		return nil, fmt.Errorf("%w: %s leads to %q, not to a %s", ErrNotServed, s.Package, names, s.Release)
	}
	return names, nil
}

// A chooser names packages.
type chooser func(*apt) ([]string, error)

// cached returns the folder that a shell script makes of packages. The script runs where they are unpacked, and $1 is
// the folder.
func cached(ctx context.Context, cache string, s *Source, script string, choose chooser) (string, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(cache, Temporary)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if work, err = filepath.Abs(work); err != nil {
		return "", err
	}
	a := &apt{}
	if s.Suite != "" {
		if a, err = ofSuite(ctx, work, s.Suite); err != nil {
			return "", fmt.Errorf("%w: %w", ErrNotServed, err)
		}
		return a.unpack(ctx, cache, work, script, choose)
	}
	dir, err := a.unpack(ctx, cache, work, script, choose)
	if errors.Is(err, ErrNotServed) {
		// A system that was never updated, as that of a container image, knows no package; one that was long ago names
		// what is gone from the mirror.
		if stale := a.update(ctx); stale != nil {
			return "", fmt.Errorf("%w\nand then: %w", err, stale)
		}
		dir, err = a.unpack(ctx, cache, work, script, choose)
	}
	return dir, err
}

// unpack is cached by what apt's lists say now.
func (a *apt) unpack(ctx context.Context, cache, work, script string, choose chooser) (string, error) {
	names, err := choose(a)
	if err != nil {
		return "", err
	}
	files, err := a.output(ctx, "", "apt-get", append([]string{"download", "--print-uris"}, names...)...)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotServed, err)
	}
	dir := filepath.Join(cache, fmt.Sprintf("%s.%08x", names[0], crc32.ChecksumIEEE(append(files, script...))))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := a.get(ctx, work, append([]string{"download"}, names...)...); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotServed, err)
	}
	unpacked, done := filepath.Join(work, "unpacked"), filepath.Join(work, "done")
	for _, name := range names {
		debs, _ := filepath.Glob(filepath.Join(work, name+"_*.deb")) // a package's name has no special characters
		if len(debs) != 1 {
			return "", fmt.Errorf("apt-get download: of %s came %q", name, debs)
		}
		if _, err := a.output(ctx, "", "dpkg-deb", "-x", debs[0], unpacked); err != nil {
			return "", err
		}
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-euc", script, "sh", done)
	cmd.Dir = unpacked
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", names[0], err, out)
	}
	err = os.Rename(done, dir)
	if _, there := os.Stat(dir); there == nil { // from here, or meanwhile from another
		err = nil
	}
	return dir, err
}
