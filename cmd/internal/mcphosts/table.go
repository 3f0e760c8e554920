package mcphosts

// What several rows have.
const (
	servers  = "mcpServers"
	editors  = "{Code,Code - Insiders,VSCodium,Cursor,Windsurf}"
	storage  = "/User/globalStorage/"
	cline    = "saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
	roo      = "rooveterinaryinc.roo-cline/settings/{mcp_settings,cline_mcp_settings}.json"
	vscode   = "$APP/{Code,Code - Insiders,VSCodium}/User/"
	remote   = "~/.vscode-server/data/User/" // an editor that works here from another machine
	quitOpen = "quit it, from its tray icon too, and open it again"
	newOnes  = "start a new session"
)

var table = [...]Host{
	{Name: "claude-desktop", Title: "Claude Desktop", Restart: quitOpen,
		Files: []File{
			{Path: "$APP/Claude/claude_desktop_config.json", Form: Form{Roots: servers}},
		}},

	{Name: "claude-code", Title: "Claude Code", Restart: newOnes,
		Files: []File{
			// A comment in this file makes the host take it for broken and empty it.
			{Path: "$CLAUDE_CONFIG_DIR/.claude.json", Form: Form{Roots: servers + " projects/*/mcpServers"}},
			{Project: ".mcp.json", Form: Form{Roots: servers}},
		}},

	{Name: "vscode", Title: "Visual Studio Code", Restart: "restart the server in the list of MCP servers",
		Files: []File{
			{Path: vscode + "mcp.json", Form: Form{Syntax: JSONC, Roots: "servers"}},
			{Path: vscode + "profiles/*/mcp.json", Form: Form{Syntax: JSONC, Roots: "servers"}},
			{Path: vscode + "settings.json", Form: Form{Syntax: JSONC, Roots: "mcp/servers mcp.servers"}},
			{Path: remote + "mcp.json", Form: Form{Syntax: JSONC, Roots: "servers"}},
			{Project: ".vscode/mcp.json", Form: Form{Syntax: JSONC, Roots: "servers"}},
		}},

	{Name: "cursor", Title: "Cursor", Restart: "switch the server off and on in the settings, under MCP",
		Files: []File{
			{Path: "~/.cursor/mcp.json", Form: Form{Syntax: JSONC, Roots: servers}},
			{Project: ".cursor/mcp.json", Form: Form{Syntax: JSONC, Roots: servers}},
		}},

	{Name: "windsurf", Title: "Windsurf", Restart: "press Refresh in the list of MCP servers",
		Files: []File{
			{Path: "~/.codeium/windsurf/mcp_config.json", Form: Form{Roots: servers}},
			{Path: "~/.codeium/mcp_config.json", Form: Form{Roots: servers}}, // its plugin for JetBrains
		}},

	{Name: "zed", Title: "Zed", Restart: "nothing: the file counts as soon as it is written", Shell: true,
		Files: []File{
			{Path: "$XDG/zed/settings.json", Windows: "$APP/Zed/settings.json",
				Form: Form{Syntax: JSONC, Roots: "context_servers"}},
			{Project: ".zed/settings.json", Form: Form{Syntax: JSONC, Roots: "context_servers"}},
		}},

	{Name: "codex", Title: "Codex", Restart: newOnes,
		Files: []File{
			{Path: "$CODEX_HOME/config.toml", Form: Form{Syntax: TOML, Roots: "mcp_servers"}},
			{Project: ".codex/config.toml", Form: Form{Syntax: TOML, Roots: "mcp_servers"}},
		}},

	{Name: "gemini", Title: "Gemini CLI", Restart: newOnes,
		Files: []File{
			{Path: "~/.gemini/settings.json", Form: Form{Syntax: JSONC, Roots: servers}},
			{Project: ".gemini/settings.json", Form: Form{Syntax: JSONC, Roots: servers}},
		}},

	{Name: "copilot", Title: "Copilot CLI", Restart: newOnes,
		Files: []File{
			{Path: "$COPILOT_HOME/mcp-config.json", Form: Form{Roots: servers}},
			{Project: ".github/mcp.json", Form: Form{Roots: servers}},
		}},

	{Name: "continue", Title: "Continue", Restart: "reload the editor's window",
		Files: []File{
			{Path: "~/.continue/config.yaml", Form: Form{Syntax: YAML, Roots: servers, Named: true}},
			{Path: "~/.continue/mcpServers/*.yaml", Form: Form{Syntax: YAML, Roots: servers, Named: true}},
			{Path: "~/.continue/mcpServers/*.json", Form: Form{Roots: servers}},
			{Project: ".continue/mcpServers/*.yaml", Form: Form{Syntax: YAML, Roots: servers, Named: true}},
			{Project: ".continue/mcpServers/*.json", Form: Form{Roots: servers}},
		}},

	{Name: "goose", Title: "Goose", Restart: newOnes,
		Files: []File{
			{Path: "$XDG/goose/config.yaml", Windows: "$APP/Block/goose/config/config.yaml",
				Form: Form{Syntax: YAML, Roots: "extensions", Command: "cmd"}},
		}},

	{Name: "lmstudio", Title: "LM Studio", Restart: "switch the server off and on, under Program",
		Files: []File{
			{Path: "~/.lmstudio/mcp.json", Form: Form{Roots: servers}},
			{Path: "~/.cache/lm-studio/mcp.json", Form: Form{Roots: servers}},
		}},

	{Name: "cline", Title: "Cline", Restart: "nothing: the file counts as soon as it is written",
		Files: []File{
			{Path: "~/.cline/data/settings/cline_mcp_settings.json", Form: Form{Roots: servers}},
			{Path: "$APP/" + editors + storage + cline, Form: Form{Roots: servers}},
			{Path: "~/.vscode-server/data" + storage + cline, Form: Form{Roots: servers}},
		}},

	{Name: "roo", Title: "Roo Code", Restart: "nothing: the file counts as soon as it is written",
		Files: []File{
			{Path: "$APP/" + editors + storage + roo, Form: Form{Roots: servers}},
			{Path: "~/.vscode-server/data" + storage + roo, Form: Form{Roots: servers}},
			{Project: ".roo/mcp.json", Form: Form{Roots: servers}},
		}},

	{Name: "opencode", Title: "opencode", Restart: newOnes,
		Files: []File{
			{Path: "$XDG/opencode/{opencode.json,opencode.jsonc,config.json}",
				Form: Form{Syntax: JSONC, Roots: "mcp", Words: true}},
			{Project: "{opencode.json,opencode.jsonc}", Form: Form{Syntax: JSONC, Roots: "mcp", Words: true}},
			{Project: ".opencode/{opencode.json,opencode.jsonc}", Form: Form{Syntax: JSONC, Roots: "mcp", Words: true}},
		}},

	{Name: "crush", Title: "Crush", Restart: newOnes, Runs: true,
		Files: []File{
			{Path: "$XDG/crush/crush.json", Windows: "$LOCAL/crush/crush.json", Form: Form{Roots: "mcp"}},
			{Project: "{crush.json,.crush.json}", Form: Form{Roots: "mcp"}},
		}},

	{Name: "amazonq", Title: "Amazon Q", Restart: newOnes,
		Files: []File{
			{Path: "~/.aws/amazonq/{mcp,default}.json", Form: Form{Roots: servers}},
			{Path: "~/.aws/amazonq/{cli-agents,agents}/*.json", Form: Form{Roots: servers}},
			{Project: ".amazonq/{mcp,default}.json", Form: Form{Roots: servers}},
			{Project: ".amazonq/cli-agents/*.json", Form: Form{Roots: servers}},
		}},

	{Name: "jetbrains", Title: "JetBrains Junie", Restart: "nothing: the file counts as soon as it is written",
		Files: []File{
			{Path: "~/.junie/mcp/mcp.json", Form: Form{Roots: servers}},
			{Project: ".junie/mcp/mcp.json", Form: Form{Roots: servers}},
		}},
}
