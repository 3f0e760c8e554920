package diagnose

import (
	"errors"
	"strings"
	"syscall"
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
		{"", "", ""},
		{`C:\server.exe`, `C:\server.exe`, ""},
		{"mcp/filesystem", "/home/ann/mcp/filesystem", "from the working folder"},
		{"node:20", "node:20", "no command: name a program"},
		{"server.py", "server.py", "python3 ./server.py"},
		{"source", "source", "sh -c"},
	} {
		got := NotFound(c.command, c.path, "")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.command, got, c.want)
		}
	}
}

func TestNotExecutable(t *testing.T) {
	for _, c := range []struct {
		file string
		err  error
		want string
	}{
		{"/home/ann/my notes/server.js", syscall.EACCES, "node '/home/ann/my notes/server.js'"},
		{"/home/ann/server.py", syscall.EACCES, "python3 /home/ann/server.py"},
		{"/home/ann/server", syscall.EACCES, "chmod +x"},
		{"/home/ann", syscall.EISDIR, "name the program in it"},
		{"/home/ann/server.js", syscall.ENOEXEC, ""},
		{"/home/ann/server.js", errors.New("else"), ""},
	} {
		got := NotExecutable(c.file, c.err)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s, %v: got %q, want %q", c.file, c.err, got, c.want)
		}
	}
}

// A flag of a remedy is whole in the line that the remedy has, or the key is named alone.
func TestGrant(t *testing.T) {
	deep := "/srv/" + strings.Repeat("deep/", 27) + "f"
	for _, c := range []struct{ path, want string }{
		{"/srv/a b", "grant it: --allow-read '/srv/a b', or allowRead in the policy"},
		{deep, "grant it: --allow-read " + deep},
		{deep + deep, "grant it: allowRead in the policy, for the name is too long for a line"},
		{"/srv/\x1b", "grant it: allowRead in the policy, for the name has characters that no line shows"},
	} {
		if got := Grant("--allow-read", c.path); got != c.want {
			t.Errorf("%q: %s", c.path, got)
		}
	}
	if got := GrantTarget("--allow-write", "/d"); !strings.HasSuffix(got, ": --allow-write /d, or allowWrite in the policy") {
		t.Error(got)
	}
}
