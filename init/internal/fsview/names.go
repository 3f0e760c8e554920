package fsview

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The protected names. The rule: what a program executes, or is given rights by, because its user opens the folder that it lies
// in with an editor or an agent, enters it with a shell, runs a version control system there, logs in, or opens a
// terminal. What lies in a folder of these tables is protected with it.
//
// Not of them is what a server is there to write: the project's own programs, tests, build files and what its tools read from
// those (package.json, Makefile, .npmrc, .cargo, .github/workflows, .pre-commit-config.yaml), instructions for agents
// (AGENTS.md), and what a program asks about again when it has changed (.envrc, which direnv allows by its content; .tool-versions,
// which names versions alone; .exrc and .gdbinit in a project, which are off or allowed by content).

// hooked are the names that count in every folder of a write grant that is searched. All begin with a byte that guards knows.
var hooked = [...]string{
	// Version control: hooks, and configurations that name programs. The first vcs of them may be granted by name.
	".git", ".hg", ".jj", ".sl", ".pijul", "_darcs",
	".husky",

	// Editors: tasks, launchers, language servers, settings that name programs.
	".vscode", ".vs", ".idea", ".run", ".fleet", ".zed", ".theia", ".devcontainer", ".devcontainer.json",

	// Agents and hosts of MCP servers: the servers that they start, and their hooks.
	".mcp.json", ".claude", ".cursor", ".codex", ".gemini", ".qwen", ".windsurf", ".cline", ".clinerules", ".roo", ".kilocode",
	".continue", ".opencode", ".opencode.json", "opencode.json", "opencode.jsonc", ".crush.json", "crush.json", ".amazonq",
	".kiro", ".junie", ".augment", ".factory", ".trae", ".amp", ".tabnine", ".openhands", ".aider.conf.yml",

	// Version managers that a shell asks at each prompt; mise trusts a path, whatever is in the file later.
	"mise.toml", "mise.local.toml", ".mise.toml", ".mise.local.toml", ".mise",

	".mcp-sandbox",
}

const vcs = 6

// rooted are paths that count in the root of a write grant and beside each repository.
var rooted = [...]string{".github/hooks", ".config/mise", ".config/mise.toml"}

// homely are the paths below the user's home, besides those that count anywhere.
var homely = [...]string{
	// Hosts of MCP servers: what they start, and the extensions that they load.
	".claude.json", ".config/claude", ".config/Claude", ".config/Code/User", ".config/Code - Insiders/User", ".config/VSCodium/User",
	".config/Cursor/User", ".config/Windsurf/User", ".config/Kiro/User", ".config/Trae/User", ".vscode-server", ".vscode-insiders", ".vscode-oss",
	".cursor-server", ".windsurf-server", ".codeium", ".config/zed", ".local/share/zed", ".copilot", ".config/github-copilot", ".config/goose",
	".lmstudio/mcp.json", ".cache/lm-studio/mcp.json", ".config/opencode", ".config/crush", ".local/share/crush/crush.json", ".aws/amazonq",
	".config/amp", ".config/JetBrains", ".local/share/JetBrains", "Documents/Cline",

	// Shells, and what their start files read.
	".profile", ".profile.d", ".bashrc", ".bashrc.d", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bash_completion",
	".bash_completion.d", ".local/share/bash-completion", ".blerc", ".inputrc", ".zshrc", ".zshrc.d", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
	".zsh", ".zfunc", ".zcompdump", ".zinit", ".local/share/zinit", ".zplug", ".antigen", ".antidote", ".zim", ".zimrc", ".zprezto", ".zpreztorc",
	".p10k.zsh", ".oh-my-zsh", ".oh-my-bash", ".bash_it", ".config/zsh", ".kshrc", ".mkshrc", ".shrc", ".cshrc", ".tcshrc", ".login", ".logout",
	".config/fish", ".local/share/fish/vendor_conf.d", ".local/share/fish/vendor_functions.d", ".local/share/fish/vendor_completions.d",
	".config/nushell", ".config/powershell", ".local/share/powershell", ".config/elvish", ".xonshrc", ".config/xonsh", ".config/starship.toml",
	".config/direnv", ".local/share/direnv/allow", ".config/mise", ".local/state/mise/trusted-configs", ".fzf", ".fzf.bash", ".fzf.zsh",
	".cargo/env", ".cargo/env.fish", ".local/bin/env", ".local/bin/env.fish", ".deno/env", ".bun/_bun", ".opam/opam-init", ".ghcup/env", ".nvm",
	".asdf", ".asdfrc", ".sdkman", ".rvm", ".rvmrc", ".rbenv", ".pyenv", ".nodenv", ".nix-profile", ".local/state/nix/profiles", ".nix-defexpr",
	".guix-profile", ".selected_editor", ".lessfilter", ".lesskey", ".editrc",

	// Logins and sessions.
	".pam_environment", ".rhosts", ".shosts", ".k5login", ".k5users", ".xinitrc", ".xserverrc", ".xprofile", ".xsession", ".xsessionrc", ".Xresources",
	".Xdefaults", ".xscreensaver", ".xmonad", ".fluxbox", ".dmrc", ".gtkrc-2.0", ".asoundrc", ".config/autostart", ".config/autostart-scripts",
	".config/environment.d", ".config/systemd", ".config/user-dirs.dirs", ".config/mimeapps.list", ".config/dconf", ".config/plasma-workspace",
	".config/kglobalshortcutsrc", ".config/xfce4", ".config/lxsession", ".config/lxqt", ".config/openbox", ".config/sway", ".config/hypr",
	".config/i3", ".config/i3status", ".config/i3blocks", ".config/niri", ".config/river", ".config/labwc", ".config/awesome", ".config/bspwm",
	".config/sxhkd", ".config/qtile", ".config/xmonad", ".config/herbstluftwm", ".config/waybar", ".config/polybar", ".config/eww", ".config/rofi",
	".config/dunst", ".config/swaylock", ".config/swayidle", ".config/gtk-3.0", ".config/gtk-4.0", ".config/pulse", ".config/pipewire",
	".config/wireplumber", ".local/share/systemd", ".local/share/dbus-1", ".local/share/applications", ".local/share/gnome-shell",
	".local/share/cinnamon", ".local/share/plasma", ".local/share/plasmashell", ".local/share/kwin", ".local/share/kio", ".local/share/kservices5",
	".local/share/nautilus", ".local/share/nautilus-python", ".local/share/nemo", ".local/share/file-manager", ".local/share/flatpak",
	".tmux.conf", ".tmux", ".config/tmux", ".screenrc", ".byobu", ".config/byobu", ".config/zellij", ".config/kitty", ".config/alacritty",
	".alacritty.toml", ".config/wezterm", ".wezterm.lua", ".config/ghostty", ".config/foot", ".config/terminator",

	// Editors.
	".vimrc", ".vim", ".gvimrc", ".exrc", ".config/vim", ".config/nvim", ".local/share/nvim", ".emacs", ".emacs.el", ".emacs.d", ".config/emacs",
	".doom.d", ".config/doom", ".spacemacs", ".spacemacs.d", ".nanorc", ".config/nano", ".config/helix", ".config/kak", ".config/micro",
	".config/sublime-text", ".config/sublime-text-3",

	// Version control, keys and accounts.
	".gitconfig", ".config/git", ".config/husky", ".huskyrc", ".hgrc", ".config/hg", ".config/jj", ".jjconfig.toml", ".config/sapling", ".subversion",
	".darcs", ".config/pijul", ".tigrc", ".config/tig", ".config/lazygit", ".config/gh", ".local/share/gh", ".config/glab-cli", ".ssh", ".gnupg",
	".netrc", ".forward", ".procmailrc", ".mailcap", ".muttrc", ".mutt", ".config/mutt", ".config/neomutt", ".aws/config", ".aws/cli", ".azure/config",
	".azure/cliextensions", ".kube/config", ".kube/kuberc", ".docker/config.json", ".docker/cli-plugins", ".docker/contexts", ".config/containers",
	".terraformrc", ".terraform.d",

	// Interpreters and builders: what every program of theirs loads, or where they fetch from.
	".local/lib", ".pythonrc", ".pythonstartup", ".pdbrc", ".config/pip", ".pip", ".pydistutils.cfg", ".condarc", ".config/uv", ".ipython", ".jupyter",
	".local/share/jupyter", ".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".config/pnpm", ".config/yarn", ".node_modules", ".node_libraries",
	".config/go", ".cargo/config", ".cargo/config.toml", ".m2/settings.xml", ".m2/extensions.xml", ".mavenrc", ".gradle/init.gradle",
	".gradle/init.gradle.kts", ".gradle/init.d", ".gradle/gradle.properties", ".sbtrc", ".sbt", ".config/clojure", ".clojure", ".lein",
	".nuget/NuGet", ".irbrc", ".pryrc", ".gemrc", ".bundle/config", ".Rprofile", ".Renviron", ".julia/config", ".octaverc", ".ghci", ".ghc/ghci.conf",
	".gdbinit", ".gdbearlyinit", ".config/gdb", ".lldbinit", ".psqlrc", ".sqliterc", ".duckdbrc", ".mongorc.js", ".mongosh", ".config/nix",
	".config/nixpkgs", ".config/home-manager", ".config/guix", ".config/mpv", ".config/bat", ".wgetrc", ".curlrc",

	// This product's own: see ours.
	".config/mcp-sandbox",
	".local/share/mcp-sandbox",
	".local/state/mcp-sandbox",
}

// ours are the last of homely: policies, packages, states and reports. A server writes nothing there, and sees nothing.
func ours() []string { return homely[len(homely)-3:] }

// guards reports whether name is one of those that count anywhere, in whatever spelling: some file systems do not tell upper
// case from lower, and ext4(5) with casefold neither a long s from s, nor a name from one with characters that are not seen.
func guards(name []byte) bool {
	if len(name) < 3 {
		return false
	}
	switch c := name[0]; {
	case c == '.', c == '_', c|0x20 == 'c', c|0x20 == 'm', c|0x20 == 'o', c >= utf8.RuneSelf:
	default:
		return false
	}
	for i := range hooked {
		if sameFold(name, hooked[i]) {
			return true
		}
	}
	return false
}

// versioned reports whether a name is that of a version control system's folder.
func versioned(name string) bool {
	return slices.ContainsFunc(hooked[:vcs], func(h string) bool { return sameFold([]byte(name), h) })
}

// sameFold compares a name with one in lower case. Of other characters than those of ASCII it looks at the two that fold to
// one, and passes over the rest.
func sameFold(name []byte, lower string) bool {
	at := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(name[i:])
			i += size - 1
			switch r {
			case 'ſ':
				c = 's'
			case '\u212a': // Kelvin
				c = 'k'
			default:
				continue
			}
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if at == len(lower) || c != lower[at] {
			return false
		}
		at++
	}
	return at == len(lower)
}

// withinFold is within for a path and a name below a home, in whatever case.
func withinFold(path, name string) bool {
	n := len(name)
	return len(path) >= n && (len(path) == n || path[n] == '/') && strings.EqualFold(path[:n], name)
}
