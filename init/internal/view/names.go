package view

// The protected names: what runs code on the host for its user, who opens the folder that it lies in, starts a host of MCP
// servers, logs in or opens a terminal. What lies in a folder of this table is protected with it.

// hooked are the names that count in every folder of a write grant that is searched. ".git" is the first, and may be
// granted by name.
func hooked() [7]string {
	return [...]string{".git", ".vscode", ".idea", ".claude", ".cursor", ".mcp.json", ".mcp-sandbox"}
}

// homely are the paths below the user's home.
func homely() [91]string {
	return [...]string{
		// Hosts of MCP servers: what they start, and the extensions that they load.
		".claude.json",
		".config/claude",
		".config/Claude",
		".config/Code/User",
		".config/Code - Insiders/User",
		".config/VSCodium/User",
		".config/Cursor/User",
		".config/Windsurf/User",
		".vscode-server",
		".vscode-insiders",
		".vscode-oss",
		".cursor-server",
		".codeium",
		".windsurf",
		".config/zed",
		".codex",
		".gemini",
		".copilot",
		".config/github-copilot",
		".continue",
		".config/goose",
		".lmstudio/mcp.json",
		".cache/lm-studio/mcp.json",
		".cline",
		".roo",
		".opencode",
		".opencode.json",
		".config/opencode",
		".crush.json",
		".config/crush",
		".local/share/crush/crush.json",
		".aws/amazonq",
		".aws/config", // credential_process
		".kiro",
		".junie",
		".config/JetBrains",

		// Shells.
		".profile",
		".bashrc",
		".bash_profile",
		".bash_login",
		".bash_logout",
		".bash_aliases",
		".bash_completion",
		".inputrc",
		".zshrc",
		".zshenv",
		".zprofile",
		".zlogin",
		".zlogout",
		".oh-my-zsh",
		".config/zsh",
		".kshrc",
		".mkshrc",
		".shrc",
		".cshrc",
		".tcshrc",
		".login",
		".logout",
		".config/fish",
		".config/nushell",
		".config/powershell",
		".config/elvish",
		".xonshrc",
		".config/xonsh",
		".config/starship.toml",
		".config/direnv",

		// Logins and sessions.
		".pam_environment",
		".xinitrc",
		".xprofile",
		".xsession",
		".xsessionrc",
		".Xresources",
		".config/autostart",
		".config/environment.d",
		".config/systemd",
		".local/share/systemd",
		".local/share/dbus-1",
		".local/share/applications",
		".config/plasma-workspace",
		".config/sway",
		".config/hypr",
		".config/i3",
		".tmux.conf",
		".config/tmux",

		// Programs that run what their own files name.
		".gitconfig",
		".config/git",
		".ssh",
		".gnupg",

		// This product's own: see ours.
		".config/mcp-sandbox",
		".local/share/mcp-sandbox",
		".local/state/mcp-sandbox",
	}
}

// ours are the last of homely: policies, packages, states and reports. A server writes nothing there, and sees nothing.
func ours() []string {
	names := homely()
	return names[len(names)-3:]
}

// guards reports whether name is one of those that count anywhere, in whatever case: some file systems do not tell them apart.
func guards(name []byte) bool {
	if len(name) < 4 || name[0] != '.' {
		return false
	}
	for _, h := range hooked() {
		if sameFold(name, h) {
			return true
		}
	}
	return false
}

// sameFold compares a name with one in lower case.
func sameFold(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
