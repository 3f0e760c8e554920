package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a killed wrap left of a file is removed by the next wrap or unwrap, though that changes nothing, and by no
// --dry-run.
func TestWrapSettles(t *testing.T) {
	home := testbed.Folder(t)
	fine(t, os.Chmod(home, 0o755))
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	program, err := exec.LookPath("mcp-sandbox") // this test binary
	fine(t, err)
	file := filepath.Join(home, ".cursor/mcp.json")
	fine(t, os.Mkdir(filepath.Dir(file), 0o755))
	fine(t, os.WriteFile(file, []byte(`{"mcpServers": {"u": {"url": "x"}}}`), 0o644))
	of := sha256.Sum256([]byte(file)) // as package cmd/internal/mcphosts/file names what lies about
	left := filepath.Join(home, ".local/state/mcp-sandbox/wrap/.mcp-sandbox-"+hex.EncodeToString(of[:4])+"-A")
	for _, command := range []string{"wrap", "unwrap"} {
		fine(t, os.MkdirAll(filepath.Dir(left), 0o700))
		fine(t, os.WriteFile(left, nil, 0o600))
		for _, flag := range []string{"--dry-run", "--yes"} {
			if out, err := exec.Command(program, command, flag, "cursor").CombinedOutput(); err != nil {
				t.Fatalf("%s %s: %v\n%s", command, flag, err, out)
			}
			_, err := os.Lstat(left)
			if gone := errors.Is(err, fs.ErrNotExist); gone != (flag == "--yes") {
				t.Errorf("%s %s: gone: %v", command, flag, gone)
			}
		}
	}
}
