package protected

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/hosts"
)

// What no other file system tells apart from a name is that name, and everything else is not.
func TestSpellings(t *testing.T) {
	for name, want := range map[string]bool{
		".git": true, ".GIT": true, ".gi\u200ct": true, "\ufeff.git": true, ".v\u017fcode": true, ".\u212airo": true, ".vſ": true, "MISE.toml": true,
		".gitx": false, ".gi": false, "git": false, "": false, ".": false, "..": false, "\u200c\u200c": false, ".cur\u017for": true, "é": false, "miso.toml": false,
	} {
		if Guards([]byte(name)) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	for i, name := range slices.Concat(Anywhere(), Beside()) {
		if name != strings.ToLower(name) || i < len(Anywhere()) && !Guards([]byte(name)) || (i < VersionControls) != IsVersionControl(name) || IsGit(name) != (i == 0) {
			t.Errorf("%s cannot be found", name)
		}
	}
}

// What is hidden of the homes is protected there too.
func TestOwnIsAtHome(t *testing.T) {
	for _, name := range Own() {
		if !IsAtHome(name) {
			t.Errorf("%s is not protected", name)
		}
	}
}

// No server writes a file in which wrap finds servers: neither a user's nor a project's.
func TestHostsFilesAreProtected(t *testing.T) {
	m := hosts.Machine{OS: "linux", Home: "/home/ann", Getenv: func(string) string { return "" }}
	for _, host := range hosts.All() {
		for _, f := range host.Files {
			for _, path := range slices.Concat(f.Paths(m), f.In("/home/ann/p", m)) {
				rest := strings.TrimPrefix(path, m.Home+"/")
				first, _, _ := strings.Cut(rest, "/")
				if !IsAtHome(rest) && !Guards([]byte(first)) && !StartsCode(path) {
					t.Errorf("%s: %s is not protected", host.Name, path)
				}
			}
		}
	}
}
