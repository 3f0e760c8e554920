package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// licenses are the terms of all that is linked into the programs besides this project, which they ask to go along: of
// Go and of the modules, of any target.
func (b *builder) licenses() ([]byte, error) {
	const each = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
	parts := map[string]string{} // a module to its folder
	for _, t := range targets {
		list, err := b.golang(t, "list", "-deps", "-f", each, "./cmd/...").Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(list)) {
			if name, dir, found := strings.Cut(strings.TrimSpace(line), "\t"); found {
				parts[name] = dir
			}
		}
	}
	root, err := b.golang(targets[0], "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	parts["Go"] = strings.TrimSpace(string(root))
	var all bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		text, err := license(parts[name])
		if err != nil {
			return nil, fmt.Errorf("the license of %s: %w", name, err)
		}
		fmt.Fprintf(&all, "==> %s\n\n%s\n\n", name, bytes.TrimSpace(text))
	}
	return all.Bytes(), nil
}

// license is the text that lies at the top of a module.
func license(dir string) ([]byte, error) {
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "License", "COPYING"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if !errors.Is(err, os.ErrNotExist) {
			return text, err
		}
	}
	return nil, fmt.Errorf("%s: %w", dir, os.ErrNotExist)
}
