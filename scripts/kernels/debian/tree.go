package debian

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// modules are what a guest needs to have the host's root over virtiofs under an overlay, and a disk of its own with ext4,
// which has CRC-32C made by whatever there is.
const modules = "virtio_pci virtiofs overlay virtio_rng virtio_blk crc32c_generic? ext4 unix_diag?"

// gather copies the image, and the modules with what they need, out of an unpacked package.
func gather(ctx context.Context, from, to string) error {
	t := tree{files: map[string]string{}}
	if err := filepath.WalkDir(from, t.look); err != nil {
		return err
	}
	if t.image == "" {
		return &fs.PathError{Op: "find", Path: "vmlinuz", Err: fs.ErrNotExist}
	}
	if err := os.MkdirAll(filepath.Join(to, "modules"), 0o755); err != nil {
		return err
	}
	order, err := sorted(strings.Fields(modules), func(name string) ([]string, bool, error) { return t.module(ctx, name, to) })
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, name := range order {
		list.WriteString(name + ".ko\n")
	}
	if err := os.WriteFile(filepath.Join(to, "modules", "order"), []byte(list.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(t.image, filepath.Join(to, "vmlinuz"))
}

// A tree is what an unpacked package holds.
type tree struct {
	image   string
	files   map[string]string // of each module
	builtin map[string]bool   // nil: the package does not say
}

// look takes in one file of the package.
func (t *tree) look(path string, d fs.DirEntry, err error) error {
	if err != nil || d.IsDir() {
		return err
	}
	name := d.Name()
	if module, ok := moduleName(name); ok {
		t.files[module] = path
	}
	if strings.HasPrefix(name, "vmlinuz") && d.Type().IsRegular() {
		t.image = path
	}
	if name == "modules.builtin" {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t.builtin = map[string]bool{}
		for _, line := range strings.Fields(string(text)) {
			if module, ok := moduleName(filepath.Base(line)); ok {
				t.builtin[module] = true
			}
		}
	}
	return nil
}

// module writes one module, unpacked, and returns what it needs.
func (t *tree) module(ctx context.Context, name, to string) (first []string, separate bool, err error) {
	if t.builtin[name] {
		return nil, false, nil
	}
	path, ok := t.files[name]
	if !ok && t.builtin == nil { // from Linux 7 on Debian's packages have no list; what is missing then shows at once
		return nil, false, nil
	}
	if !ok {
		return nil, false, fmt.Errorf("no module %s: %w", name, fs.ErrNotExist)
	}
	var text []byte
	if strings.HasSuffix(path, ".xz") {
		text, err = exec.CommandContext(ctx, "xz", "-dc", path).Output()
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, false, fmt.Errorf("module %s: %w", name, err)
	}
	file, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		return nil, false, fmt.Errorf("module %s: %w", name, err)
	}
	section := file.Section(".modinfo")
	if section == nil {
		return nil, false, fmt.Errorf("module %s: no .modinfo", name)
	}
	info, err := section.Data()
	if err != nil {
		return nil, false, fmt.Errorf("module %s: %w", name, err)
	}
	return needs(info), true, os.WriteFile(filepath.Join(to, "modules", name+".ko"), text, 0o644)
}
