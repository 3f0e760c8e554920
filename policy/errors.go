package policy

import "github.com/security-mcp/mcp-sandbox/policy/strictjson"

// An Error is one thing wrong with a policy: where, as a JSON pointer into its document, and what.
type Error = strictjson.Error

// Errors is everything wrong with a policy, one line each. It is what errors.As finds in the errors of this package.
type Errors = strictjson.Errors

// at is the JSON pointer of a key such as "filesystem.allowRead", no part of which needs escaping.
func at(key string) string {
	b := make([]byte, 0, len(key)+8)
	b = append(b, '/')
	for i := 0; i < len(key); i++ {
		if key[i] == '.' {
			b = append(b, '/')
		} else {
			b = append(b, key[i])
		}
	}
	return string(b)
}
