package debian

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// needs are the modules that one needs loaded before itself, by its .modinfo section: strings that end in NUL, of which
// "depends=" lists the ones whose symbols it uses and "softdep=pre:" those it would have if there are any of the name.
func needs(modinfo []byte) []string {
	var all []string
	for entry := range strings.SplitSeq(string(modinfo), "\x00") {
		if list, ok := strings.CutPrefix(entry, "depends="); ok && list != "" {
			all = append(all, strings.Split(list, ",")...)
		}
		if list, ok := strings.CutPrefix(entry, "softdep=pre:"); ok {
			for _, name := range strings.Fields(list) {
				all = append(all, name+ifAny)
			}
		}
	}
	for i := range all {
		all[i] = plainName(all[i])
	}
	return all
}

// ifAny ends a name of which there need not be a module.
const ifAny = "?"

// plainName is a module's name as the kernel has it: a file may be called virtio-rng.ko.
func plainName(s string) string { return strings.ReplaceAll(s, "-", "_") }

// moduleName is the module that a file is, and whether it is one: fuse.ko, or packed fuse.ko.xz.
func moduleName(file string) (string, bool) {
	name, rest, found := strings.Cut(file, ".ko")
	return plainName(name), found && (rest == "" || rest == ".xz")
}

// sorted puts modules after what they need. read returns a module's needs, false for what is built into the kernel, and
// fs.ErrNotExist if there is none.
func sorted(wanted []string, read func(name string) (needs []string, separate bool, err error)) ([]string, error) {
	var order []string
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(name string) error
	visit = func(name string) error {
		name, soft := strings.CutSuffix(name, ifAny)
		switch state[name] {
		case done:
			return nil
		case open:
			return fmt.Errorf("module %s needs itself", name)
		}
		first, separate, err := read(name)
		if soft && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		state[name] = open
		for _, n := range first {
			if err := visit(n); err != nil {
				return err
			}
		}
		if state[name] = done; separate {
			order = append(order, name)
		}
		return nil
	}
	for _, name := range wanted {
		if err := visit(plainName(name)); err != nil {
			return nil, err
		}
	}
	return order, nil
}
