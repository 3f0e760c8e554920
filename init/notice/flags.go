package notice

import "strings"

// inFlags are pairs: how a hint names a key of the policy, and how mcp-sandbox run writes the same. What stands first
// counts.
var inFlags = [...]string{
	"level network without domains", "--level network without --allow-domain",
	"set minConfinement to limits", "add --min-confinement limits",
	"write out minConfinement limits", "add --min-confinement limits",
	"set subprocess.allow to true", "add --subprocess=true",
	"subprocess.allow false", "--subprocess=false",
	"take level network", "take --level network",
	"minConfinement", "--min-confinement",
	"filesystem.tmpSize", "--tmp-size",
	"filesystem.allowRead", "--allow-read",
	"limits.fileSize", "--file-size",
	"limits.timeout", "--timeout",
	"limits.memory", "--memory",
	"limits.cpu", "--cpu",
	"onStdinClose \"ignore\"", "--on-stdin-close ignore",
	"network.deniedDomains", "--deny-domain",
	"key cwd", "--cwd",
	"key user", "--user",
}

// InFlags is a hint, which names the keys of a policy, in the flags of mcp-sandbox run.
func InFlags(hint string) string { return strings.NewReplacer(inFlags[:]...).Replace(hint) }
