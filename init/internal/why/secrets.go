package why

import "strings"

// secrets are what a home has of keys and tokens. An answer says which of these a change opens.
var secrets = [...]struct{ name, what string }{
	{".ssh", "SSH keys"},
	{".gnupg", "OpenPGP keys"},
	{".aws", "keys of AWS"},
	{".azure", "tokens of Azure"},
	{".kube", "keys of Kubernetes clusters"},
	{".docker/config.json", "tokens of container registries"},
	{".config/containers/auth.json", "tokens of container registries"},
	{".netrc", "passwords"},
	{".pgpass", "passwords of databases"},
	{".my.cnf", "passwords of databases"},
	{".npmrc", "tokens of npm"},
	{".pypirc", "tokens of PyPI"},
	{".cargo/credentials", "tokens of crates.io"},
	{".cargo/credentials.toml", "tokens of crates.io"},
	{".gem/credentials", "tokens of RubyGems"},
	{".git-credentials", "passwords of git"},
	{".config/git/credentials", "passwords of git"},
	{".config/gh", "tokens of GitHub"},
	{".config/glab-cli", "tokens of GitLab"},
	{".config/gcloud", "tokens of Google Cloud"},
	{".config/op", "1Password"},
	{".config/rclone", "passwords of cloud storage"},
	{".password-store", "passwords"},
	{".vault-token", "a token of Vault"},
	{".terraform.d", "tokens of Terraform"},
	{".mcp-auth", "tokens of MCP servers"},
	{".claude", "tokens and conversations of Claude Code"},
	{".claude.json", "tokens and settings of Claude Code"},
	{".codex", "tokens of Codex"},
	{".gemini", "tokens of Gemini"},
	{".mozilla", "cookies and passwords of Firefox"},
	{".config/google-chrome", "cookies and passwords of Chrome"},
	{".config/chromium", "cookies and passwords of Chromium"},
	{".config/BraveSoftware", "cookies and passwords of Brave"},
	{".thunderbird", "mail"},
	{".local/share/keyrings", "the keyring"},
	{".local/share/kwalletd", "the wallet"},
	{".bash_history", "the shell's history"},
	{".zsh_history", "the shell's history"},
	{".local/share/fish/fish_history", "the shell's history"},
	{".python_history", "Python's history"},
	{".psql_history", "the history of psql"},
	{".mysql_history", "the history of mysql"},
	{".node_repl_history", "Node's history"},
}

// secretName reports whether a file's name says that it holds a secret.
func secretName(name string) bool {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, ".pub"):
		return false
	case lower == ".env", strings.HasPrefix(lower, ".env."), strings.HasPrefix(lower, "id_"):
		return true
	case strings.HasPrefix(lower, "service-account") && strings.HasSuffix(lower, ".json"):
		return true
	}
	for _, end := range [...]string{".pem", ".key", ".p12", ".pfx", ".kdbx", ".jks"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	return false
}
