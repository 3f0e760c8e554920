package diagnose

import (
	"strings"
	"testing"
)

func TestNotFound(t *testing.T) {
	for _, c := range []struct{ command, path, want string }{
		{"node -v", "node -v", "separate words"},
		{"/usr/bin/node -v", "/usr/bin/node -v", "separate words"},
		{"--allow-read", "--allow-read", "flags come in front of --"},
		{"~/server", "/home/ann/~/server", "expands ~"},
		{"$HOME/server", "/home/ann/$HOME/server", "expands $"},
		{"npx", "npx", "whole path"},
		{"./server.js", "/home/ann/server.js", ""},
		{"./server.js", "/opt/node", ""}, // the script's interpreter
		{"server", "/opt/node", ""},
	} {
		got := NotFound(c.command, c.path)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.command, got, c.want)
		}
	}
}
