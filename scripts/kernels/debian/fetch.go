// Package debian gets kernels from Debian without installing them, from the mirrors that this machine's apt knows.
//
//	k, err := debian.Fetch(ctx, ".cache/kernels", debian.Source{Package: "linux-image-6.12-cloud-amd64", Release: "6.12."})
//
// A kernel is there whole or not at all, in a folder by its version's name and that of its modules: another one is another
// folder. Two at once may get the same one. What fails because the network or another apt is in the way is tried again, a
// bounded number of times.
package debian

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
)

// A Source is where a kernel comes from.
type Source struct {
	Package string   // the metapackage of its newest version
	Release string   // what that version begins with
	Suites  []string // the suites that have it; none: those of this machine
	Arch    string   // Debian's name; empty: amd64
}

func (s *Source) arch() string {
	if s.Arch == "" {
		return "amd64"
	}
	return s.Arch
}

// ErrNotServed is of a kernel that the mirrors do not have, have another version of by now, or do not hand out.
var ErrNotServed = errors.New("not served")

// Temporary is how the names of folders in the cache begin in which a kernel is being got.
const Temporary = "get-"

// A Kernel is an image, and a folder of its modules with a file "order".
type Kernel struct{ Image, Modules string }

// Fetch returns a kernel, out of the cache or from the mirror.
func Fetch(ctx context.Context, cache string, s Source) (Kernel, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return Kernel{}, err
	}
	work, err := os.MkdirTemp(cache, Temporary)
	if err != nil {
		return Kernel{}, err
	}
	defer os.RemoveAll(work)
	if work, err = filepath.Abs(work); err != nil {
		return Kernel{}, err
	}
	a := &apt{}
	if s.Suites != nil {
		if a, err = other(ctx, work, &s); err != nil {
			return Kernel{}, err
		}
	}
	k, err := a.kernel(ctx, cache, work, &s)
	if errors.Is(err, ErrNotServed) && s.Suites == nil {
		// A system that was never updated, as that of a container image, knows no package; one that was long ago names
		// what is gone from the mirror.
		if stale := a.update(ctx); stale != nil {
			return Kernel{}, fmt.Errorf("%w\nand then: %w", err, stale)
		}
		k, err = a.kernel(ctx, cache, work, &s)
	}
	return k, err
}

// kernel is the newest one by what apt knows now.
func (a *apt) kernel(ctx context.Context, cache, work string, s *Source) (Kernel, error) {
	name, err := a.newest(ctx, s)
	if err != nil {
		return Kernel{}, err
	}
	dir := filepath.Join(cache, fmt.Sprintf("%s.%08x", name, crc32.ChecksumIEEE([]byte(modules))))
	k := Kernel{filepath.Join(dir, "vmlinuz"), filepath.Join(dir, "modules")}
	if _, err := os.Stat(dir); err == nil {
		return k, nil
	}
	if err := a.unpack(ctx, work, name); err != nil {
		return Kernel{}, err
	}
	if err := gather(ctx, filepath.Join(work, "all"), filepath.Join(work, "done")); err != nil {
		return Kernel{}, fmt.Errorf("%s: %w", name, err)
	}
	err = os.Rename(filepath.Join(work, "done"), dir)
	if _, there := os.Stat(dir); there == nil { // from here, or meanwhile from another
		err = nil
	}
	return k, err
}

// newest is the package with the kernel of a metapackage.
func (a *apt) newest(ctx context.Context, s *Source) (string, error) {
	text, err := a.output(ctx, "", "apt-cache", "depends", s.Package)
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", ErrNotServed, s.Package, err)
	}
	names := dependsOn(string(text), "image")
	if len(names) == 0 || !strings.HasPrefix(names[0], "linux-image-"+s.Release) {
		return "", fmt.Errorf("%w: %s leads to %q, not to a %s", ErrNotServed, s.Package, names, s.Release)
	}
	return names[0], nil
}

// unpack is lay for a kernel's package, and those that it is split into from Linux 7 on.
func (a *apt) unpack(ctx context.Context, work, name string) error {
	text, err := a.output(ctx, "", "apt-cache", "depends", name)
	if err != nil {
		return err
	}
	return a.lay(ctx, work, append([]string{name}, dependsOn(string(text), "binary", "modules")...))
}

// lay downloads packages and lays their files below work/all. For a user that cannot write here apt would give up root.
func (a *apt) lay(ctx context.Context, work string, names []string) error {
	debs, err := os.MkdirTemp(work, "debs-")
	if err != nil {
		return err
	}
	if err := a.get(ctx, debs, append([]string{"download", "-o", "APT::Sandbox::User=root"}, names...)...); err != nil {
		return fmt.Errorf("%w: %w", ErrNotServed, err)
	}
	found, err := filepath.Glob(filepath.Join(debs, "*.deb"))
	if err != nil {
		return err
	}
	if len(found) != len(names) {
		return fmt.Errorf("apt-get download: of %q came %q", names, found)
	}
	for _, file := range found {
		if _, err := a.output(ctx, work, "dpkg-deb", "-x", file, "all"); err != nil {
			return err
		}
	}
	return nil
}
