package mcphosts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// linux is a machine without variables.
var linux = mcphosts.Machine{OS: "linux", Home: "/home/ann", Getenv: func(string) string { return "" }}

// No server may be granted a file in which wrap finds servers: neither a user's nor a project's.
func TestFilesAreProtected(t *testing.T) {
	refused := func(path string) bool {
		var p policy.Policy
		p.Filesystem.AllowWrite = []string{path}
		for _, line := range explain.Of(p, policy.Run, linux.Home).Lines {
			if strings.HasSuffix(line.Text, "so a launch refuses to grant it") {
				return true
			}
		}
		return false
	}
	for _, path := range []string{"/home/ann/p/servers.json", "/home/ann/.config/editor/mcp.json"} {
		if refused(path) {
			t.Errorf("%s, which no host reads, is protected", path)
		}
	}
	for _, host := range mcphosts.All() {
		for _, f := range host.Files {
			for _, path := range slices.Concat(f.Paths(linux), f.In("/home/ann/p", linux)) {
				if path = strings.ReplaceAll(path, "*", "x"); !refused(path) {
					t.Errorf("%s: %s is not protected", host.Name, path)
				}
			}
		}
	}
}

// An install knows a project by each file in which a project names servers.
func TestFilesOfProjects(t *testing.T) {
	var files []string
	for _, host := range mcphosts.All() {
		for _, f := range host.Files {
			for _, path := range f.In("", linux) {
				path, _, _ = strings.Cut(strings.TrimPrefix(path, "/"), "*")
				if path = strings.TrimSuffix(path, "/"); !slices.Contains(files, path) {
					files = append(files, path)
				}
			}
		}
	}
	if got := install.ProjectFiles(); !slices.Equal(got, files) {
		t.Errorf("%q, want %q", got, files)
	}
}
