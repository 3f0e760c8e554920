package policy

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// An Error is one thing wrong with a policy: where, as a JSON pointer into its document, and what.
type Error = strictjson.Error

// Errors are all errors of a policy, one line each; errors.As finds them in the errors of this package.
type Errors = strictjson.Errors

// at is the JSON pointer of a key such as "filesystem.allowRead", no part of which needs escaping.
func at(key string) string { return "/" + strings.ReplaceAll(key, ".", "/") }
