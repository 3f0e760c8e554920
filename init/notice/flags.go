package notice

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// inFlags are pairs: how a hint names a setting of the policy, and how mcp-sandbox run writes the same. The first that
// fits counts.
var inFlags = [...]string{
	"level network without domains", "--level network without --allow-domain",
	"set minConfinement to limits", "add --min-confinement limits",
	"write out minConfinement limits", "add --min-confinement limits",
	"set subprocess.allow to true", "add --subprocess=true",
	"subprocess.allow false", "--subprocess=false",
	"take level network", "take --level network",
	"minConfinement", "--min-confinement",
	"onStdinClose \"ignore\"", "--on-stdin-close ignore",
	"the key cwd", "--cwd",
	"the key env", "--env",
	"the key user", "--user",
	"key cwd", "--cwd",
	"key user", "--user",
}

// InFlags returns a text, which names the keys of a policy, in the flags of mcp-sandbox run. A key at the top of a
// policy is a word of English too, and is replaced in the phrases of inFlags alone.
func InFlags(text string) string {
	pairs := inFlags[:]
	for _, key := range policy.Keys() {
		if strings.Contains(key, ".") {
			pairs = append(pairs, key, policy.Flag(key))
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
