package profile

import (
	"errors"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

func TestFor(t *testing.T) {
	const files, github = "npm:@modelcontextprotocol/server-filesystem", "npm:@modelcontextprotocol/server-github"
	for line, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-filesystem /srv/x":                         files,
		"npx @modelcontextprotocol/server-filesystem@2025.1.1":                          files,
		"npm exec --yes -- @modelcontextprotocol/server-github@latest":                  github,
		"pnpm dlx @modelcontextprotocol/server-github":                                  github,
		"bunx @modelcontextprotocol/server-github":                                      github,
		"deno run npm:@modelcontextprotocol/server-github":                              github,
		"npx -y -p @modelcontextprotocol/server-github mcp-server-github":               github,
		"npx -y -p typescript -p @modelcontextprotocol/server-github mcp-server-github": "",
		"npx -y server-github":                                                                      "",
		"uvx server-github":                                                                         "",
		"npx -y ../../@modelcontextprotocol/server-github":                                          "unknown",
		"npx -y x@npm:@modelcontextprotocol/server-github":                                          "unknown",
		"node /usr/lib/node_modules/@modelcontextprotocol/server-github/dist/index.js":              "",
		"npx --registry=https://registry.example.com/ -y @modelcontextprotocol/server-filesystem/x": "unknown",
	} {
		p, err := For(strings.Fields(line))
		got := ""
		switch unknown := new(startline.Unknown); {
		case errors.As(err, &unknown):
			got = "unknown"
		case err != nil:
			t.Errorf("%s: %v", line, err)
		case p != nil:
			got = p.Package
		}
		if got != want {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
}

func TestByName(t *testing.T) {
	for _, id := range []string{"", "npm", "npm:", "npm:x/../@modelcontextprotocol/server-github", "npm:/etc/passwd", "npm:@modelcontextprotocol",
		"gem:@modelcontextprotocol/server-github", "npm:@modelcontextprotocol/server-github.json", "npm:@ModelContextProtocol/server-github",
		"npm:.", "npm:..", "npm:../npm/@modelcontextprotocol/server-github", "@modelcontextprotocol/server-github"} {
		if p, err := ByName(id); p != nil || err != nil {
			t.Errorf("%q: %v, %v", id, p, err)
		}
	}
	if p, err := ByName("npm:@modelcontextprotocol/server-github"); err != nil || p == nil || p.Package != "npm:@modelcontextprotocol/server-github" {
		t.Errorf("%v, %v", p, err)
	}
}
