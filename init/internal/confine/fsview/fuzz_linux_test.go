package fsview

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/gitconfig"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/toolchain"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// FuzzSmallFiles: first lines of scripts, .git files, pyvenv.cfg and access lists may be the server's own work.
func FuzzSmallFiles(f *testing.F) {
	for _, seed := range []string{"#!/usr/bin/env -S node --flag\n", "#! /bin/sh -e\r\n", "gitdir: ../main/.git/worktrees/w\n",
		"home = /opt/python/bin\nversion = 3.12\n", "\x02\x00\x00\x00\x01\x00\x06\x00\xff\xff\xff\xff\x20\x00\x04\x00\xff\xff\xff\xff", "#!\x00", "gitdir: \n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		interpreter, arg, script := toolchain.Shebang(b)
		if script && (strings.ContainsAny(interpreter, " \t\n\x00") || strings.ContainsAny(arg, "\n\x00") || !strings.HasPrefix(string(b), "#!")) {
			t.Errorf("%q: interpreter %q, argument %q", b, interpreter, arg)
		}
		// What is executed instead of env has no word that env would take for itself.
		if words := toolchain.EnvWords(arg); words != nil && (words[0] == "" || words[0][0] == '-' || slices.ContainsFunc(words, func(w string) bool {
			return strings.ContainsAny(w, " \t\"'\\$") || w == ""
		}) || strings.Contains(words[0], "=")) {
			t.Errorf("%q: env would execute %q", arg, words)
		}
		toolchain.EnvTarget(arg)
		if at, ok := gitconfig.GitFile(b); ok && (at == "" || strings.ContainsAny(at, "\n\x00") || !strings.HasPrefix(string(b), "gitdir: "+at)) {
			t.Errorf("%q: gitdir %q", b, at)
		}
		if home := toolchain.VenvHome(string(b)); home != strings.TrimSpace(home) || strings.Contains(home, "\n") {
			t.Errorf("%q: home %q", b, home)
		}
		list := parseACL(b)
		if list != nil && len(b) != 4+8*len(list) {
			t.Errorf("%d entries of %d bytes", len(list), len(b))
		}
		for need := range uint32(8) {
			if list.allows(&entry{uid: 1, gid: 2}, 3, 4, need) && !list.allows(&entry{uid: 1, gid: 2}, 3, 4, 0) {
				t.Errorf("%x: %d is allowed and nothing is not", b, need)
			}
		}
	})
}

// FuzzPaths: the folders that a name implies are above it, and never the root.
func FuzzPaths(f *testing.F) {
	for _, seed := range []string{"/home/u/.nvm/versions/node/v20/bin/node", "/opt/hostedtoolcache/node/20.1.0/x64", "/", "/a/.git/hooks", "/home/u/.volta/bin/node",
		"/h/.linuxbrew/Cellar/a/b/c", "/h/.local/share/pnpm/x", "/h/.dotnet/tools/x", "/h/.sdkman/candidates/java/1/bin/java"} {
		f.Add(seed, "b")
	}
	f.Fuzz(func(t *testing.T, at, name string) {
		if !strings.HasPrefix(at, "/") || path.Clean(at) != at || strings.Contains(name, "/") {
			return
		}
		if item, ok := runtimes.Stored(at); ok && (!policy.Within(at, item) || item == "/" || !stored(at)) {
			t.Errorf("%q: %q of a store", at, item)
		}
		if above, shows, ok := runtimes.Shim(at); ok && (!strings.HasPrefix(at, above+"/.") || !strings.HasPrefix(shows, "/.")) {
			t.Errorf("%q: %q below %q is a store", at, shows, above)
		}
		if name != "" && name != "." && name != ".." && (dirOf(join(at, name)) != at || baseOf(join(at, name)) != name || !policy.Below(join(at, name), at)) {
			t.Errorf("%q and %q: %q", at, name, join(at, name))
		}
		if comparePaths(at, at) != 0 || !policy.Within(at, at) || policy.Below(at, at) {
			t.Errorf("%q and itself", at)
		}
		if protected.InRepository(at) != slices.ContainsFunc(strings.Split(at, "/"), protected.IsVersionControl) {
			t.Errorf("%q: part of a repository %v", at, protected.InRepository(at))
		}
		if protected.StartsCode(at) && (!strings.Contains(at, ".") || !protected.StartsCode(join(at, "x"))) {
			t.Errorf("%q starts code, and what lies in it does not, or it has no name with a dot", at)
		}
	})
}

// FuzzGenerated: a user's name or home never adds a line or a field to what is generated.
func FuzzGenerated(f *testing.F) {
	f.Add("user", "/home/user")
	f.Add("a:b\nroot:x:0:0", "/h\n:")
	f.Fuzz(func(t *testing.T, name, home string) {
		user := userName([]string{"USER=" + name})
		if text := passwd(user, "1000", "1000", "/tmp/home"); strings.Count(text, "\n") != strings.Count(passwd("user", "1000", "1000", "/tmp/home"), "\n") ||
			strings.Count(text, ":") != strings.Count(passwd("user", "1000", "1000", "/tmp/home"), ":") {
			t.Errorf("%q: %q", name, text)
		}
		if text := group(user, "1000"); strings.Count(text, ":") != strings.Count(group("user", "1000"), ":") {
			t.Errorf("%q: %q", name, text)
		}
		if order.Lookup([]string{"X=" + name, "HOME=" + home}, "HOME") != home {
			t.Errorf("HOME=%q is not found", home)
		}
	})
}
