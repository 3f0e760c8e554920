package runtimes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What version managers have below a home is named, the newest of several; what cannot be executed is not.
func TestShortPath(t *testing.T) {
	home := t.TempDir()
	now := time.Now()
	for i, at := range []string{".nvm/versions/node/v9.1.0/bin/npx", ".nvm/versions/node/v20.1.0/bin/npx",
		".nvm/versions/node/v18.0.0/bin/npx", ".volta/bin/uvx", ".local/bin/tool"} {
		at = filepath.Join(home, at)
		mode := os.FileMode(0o755)
		if strings.Contains(at, "v18") {
			mode = 0o644
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Dir(at), now, now.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"npx": home + "/.nvm/versions/node/v20.1.0/bin/npx", "uvx": home + "/.volta/bin/uvx",
		"tool": home + "/.local/bin/tool", "node": "", "../bin/npx": "", "*": "", "": ""} {
		if got := ShortPath(home, name); want == "" && strings.Contains(got, ", as") || !strings.Contains(got, "whole path") ||
			want != "" && !strings.HasSuffix(got, ", as "+want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := ShortPath("", "npx"); strings.Contains(got, ", as") {
		t.Errorf("without a home: %q", got)
	}
}
