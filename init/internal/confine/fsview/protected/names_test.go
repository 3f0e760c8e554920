package protected

import (
	"slices"
	"strings"
	"testing"
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

// The names themselves, which other tests take from the tables.
func TestNames(t *testing.T) {
	all := []string{".git .hg .jj .sl .pijul _darcs .husky",
		".vscode .vs .idea .run .fleet .zed .theia .helix .devcontainer .devcontainer.json",
		".mcp.json .claude .cursor .codex .gemini .qwen .windsurf .cline .clinerules .roo .kilocode .continue",
		".opencode .opencode.json opencode.json opencode.jsonc .crush.json crush.json .amazonq .kiro .junie .augment",
		".factory .trae .amp .tabnine .openhands .aider.conf.yml .pi",
		"mise.toml mise.local.toml .mise.toml .mise.local.toml .mise .miserc.toml .rtx.toml .rtx.local.toml .mcp-sandbox"}
	if want := strings.Fields(strings.Join(all, " ")); !slices.Equal(Anywhere(), want) {
		t.Errorf("%q, want %q", Anywhere(), want)
	}
	if want := []string{".github/hooks", ".github/mcp.json", ".config/mise", ".config/mise.toml", ".config/mise.local.toml",
		".config/miserc.toml", "mise/config.toml", "mise/config.local.toml", "mise/conf.d"}; !slices.Equal(Beside(), want) {
		t.Errorf("%q, want %q", Beside(), want)
	}
	if want := []string{".config/mcp-sandbox", ".local/share/mcp-sandbox", ".local/state/mcp-sandbox"}; !slices.Equal(Own(), want) || Reports != want[2]+"/reports" {
		t.Errorf("%q and %s, want %q", Own(), Reports, want)
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
