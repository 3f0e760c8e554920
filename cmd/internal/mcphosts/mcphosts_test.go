package mcphosts

import (
	"slices"
	"strings"
	"testing"
)

func machine(os, home string, env ...string) Machine {
	return Machine{OS: os, Home: home, Getenv: func(name string) string {
		for _, one := range env {
			if key, value, _ := strings.Cut(one, "="); key == name {
				return value
			}
		}
		return ""
	}}
}

// The hosts of which the manual page of wrap speaks, in that order.
func TestNames(t *testing.T) {
	const want = "claude-desktop claude-code vscode cursor windsurf zed codex gemini copilot continue goose lmstudio " +
		"cline roo opencode crush amazonq jetbrains"
	var got []string
	for _, h := range All() {
		got = append(got, h.Name)
		if h.Title == "" || h.Restart == "" || len(h.Files) == 0 || ByName(h.Name).Title != h.Title {
			t.Errorf("%s: %+v", h.Name, h)
		}
		for _, f := range h.Files {
			if (f.Path == "") == (f.Project == "") || f.Form.Roots == "" {
				t.Errorf("%s: %+v", h.Name, f)
			}
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("hosts: %q", got)
	}
	if ByName("emacs") != nil {
		t.Error("emacs is a host")
	}
}

// One row of each kind on each system: the documented paths.
func TestPaths(t *testing.T) {
	linux, mac := machine("linux", "/home/ann"), machine("darwin", "/Users/ann")
	windows := machine("windows", `C:\Users\ann`, `APPDATA=C:\Users\ann\AppData\Roaming`)
	for _, c := range []struct {
		host string
		file int
		m    Machine
		want string
	}{
		{"claude-desktop", 0, linux, "/home/ann/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", 0, mac, "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", 0, windows, `C:\Users\ann\AppData\Roaming\Claude\claude_desktop_config.json`},
		{"crush", 0, machine("linux", "/home/ann", "XDG_CONFIG_HOME=/etc/ann"), "/etc/ann/crush/crush.json"},
		{"crush", 0, machine("linux", "/home/ann", "XDG_CONFIG_HOME=etc"), "/home/ann/.config/crush/crush.json"},
		{"claude-code", 0, linux, "/home/ann/.claude.json"},
		{"claude-code", 0, machine("darwin", "/Users/ann", "CLAUDE_CONFIG_DIR=/Users/ann/c/"), "/Users/ann/c/.claude.json"},
		{"claude-code", 1, linux, ""},
		{"vscode", 1, mac, "/Users/ann/Library/Application Support/Code/User/profiles/*/mcp.json"},
		{"cursor", 0, windows, `C:\Users\ann\.cursor\mcp.json`},
		{"zed", 0, mac, "/Users/ann/.config/zed/settings.json"},
		{"zed", 0, windows, `C:\Users\ann\AppData\Roaming\Zed\settings.json`},
		{"codex", 0, linux, "/home/ann/.codex/config.toml"},
		{"codex", 0, machine("linux", "/home/ann", "CODEX_HOME=/srv/codex"), "/srv/codex/config.toml"},
		{"goose", 0, windows, `C:\Users\ann\AppData\Roaming\Block\goose\config\config.yaml`},
		{"crush", 0, windows, `C:\Users\ann\AppData\Local\crush\crush.json`},
		{"crush", 0, machine("freebsd", "/home/ann"), "/home/ann/.config/crush/crush.json"},
		{"opencode", 0, windows, `C:\Users\ann\.config\opencode\opencode.json`},
	} {
		got := ByName(c.host).Files[c.file].Paths(c.m)
		if c.want == "" && len(got) != 0 || c.want != "" && (len(got) == 0 || got[0] != c.want) {
			t.Errorf("%s %s: %q, want %s", c.host, c.m.OS, got, c.want)
		}
	}
	roo := ByName("roo").Files[0].Paths(linux)
	if len(roo) != 10 || !strings.HasPrefix(roo[4], "/home/ann/.config/VSCodium/User/globalStorage/rooveterinaryinc.") {
		t.Errorf("%q", roo)
	}
	if got := ByName("crush").Files[1].In("/p", linux); !slices.Equal(got, []string{"/p/crush.json", "/p/.crush.json"}) {
		t.Errorf("%q", got)
	}
	if got := ByName("crush").Files[0].In("/p", linux); got != nil {
		t.Errorf("%q", got)
	}
}
