package testbed

import "github.com/security-mcp/mcp-sandbox/platform"

// Who links this package is a test, or a command of scripts/ that keeps what lasts in folders of its own: what its
// environment says is its user's word.
func init() { platform.EnvironmentIsUsers() }
