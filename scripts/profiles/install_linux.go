package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/scripts/stage"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// useCache has the store of this process in the checkout's cache.
func useCache() error {
	cache, err := cacheDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	return os.Setenv("XDG_DATA_HOME", cache)
}

func cacheDir() (string, error) {
	root, err := testbed.Root()
	return filepath.Join(root, ".cache", "profiles"), err
}

// line is what a host's configuration would have.
func (s *session) line() []string {
	starter := []string{"npx", "-y"}
	if strings.HasPrefix(s.Package, "go:") {
		starter = []string{"go", "run"}
	}
	return append(append(starter, s.name()+"@"+s.Version), s.Arguments...)
}

// install installs what a session needs, as mcp-sandbox run does.
func (s *session) install(ctx context.Context) error {
	if s.Node != "" {
		root, err := testbed.Root()
		if err == nil {
			_, err = stage.Node(ctx, root, s.Node)
		}
		if err != nil {
			return err
		}
	}
	in, start, err := s.store()
	if err != nil {
		return err
	}
	defer in.Close()
	ready, err := install.Prepare(ctx, in, start, install.Options{})
	if err != nil {
		return err
	}
	for _, line := range ready.Lines {
		fmt.Fprintln(os.Stderr, "profiles:", line)
	}
	return nil
}

// installed is the package in the store.
func (s *session) installed() (*install.Ready, error) {
	in, start, err := s.store()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return install.Find(in, start, install.Options{})
}

// store opens the store, and reads the session's line.
func (s *session) store() (*store.Store, *startline.Start, error) {
	start, err := startline.Parse(s.line())
	if err != nil {
		return nil, nil, err
	}
	in, err := store.Open(os.Getenv)
	return in, start, err
}

// uninstall removes the package.
func (s *session) uninstall() error {
	in, start, err := s.store()
	if err != nil {
		return err
	}
	defer in.Close()
	ready, err := install.Find(in, start, install.Options{})
	if errors.Is(err, store.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return ready.Package.Remove()
}

// node is the program of the version that the session names; "" is the machine's.
func (s *session) node() (string, error) {
	if s.Node == "" {
		return "", nil
	}
	root, err := testbed.Root()
	return stage.NodePath(root, s.Node), err
}
