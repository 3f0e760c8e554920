package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// folder is where the package of a session is installed.
func (s *session) folder() (string, error) {
	root, err := testbed.Root()
	return filepath.Join(root, ".cache", "profiles", filepath.FromSlash(s.name())+"@"+s.Version), err
}

// installAll installs what is not there yet.
func installAll(all []*session) error {
	for _, s := range all {
		if err := s.install(); err != nil {
			return fmt.Errorf("%s@%s: %w", s.Package, s.Version, err)
		}
	}
	return nil
}

// install has npm install the package beside its place, and renames the folder: it is there whole or not at all.
func (s *session) install() error {
	dir, err := s.folder()
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fmt.Fprintln(os.Stderr, "profiles: installing", s.Package+"@"+s.Version)
	above := filepath.Dir(dir)
	if err := os.MkdirAll(above, 0o755); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(above, "stage-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	cache := filepath.Join(stage, "npm-private")
	npm := exec.Command("npm", "install", "--prefix", stage, "--cache", cache, "--ignore-scripts", "--no-audit",
		"--no-fund", "--loglevel", "error", "--omit-lockfile-registry-resolved", s.name()+"@"+s.Version)
	npm.Dir = stage
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if err := os.RemoveAll(cache); err != nil {
		return err
	}
	out, err := exec.Command("chmod", "-R", "a+rX", stage).CombinedOutput() // every user's server reads the package
	if err != nil {
		return fmt.Errorf("chmod: %w: %s", err, out)
	}
	return os.Rename(stage, dir)
}
