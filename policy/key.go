package policy

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// A key is one key of the document that is no object of further keys.
type key struct {
	section string // "" at the top
	name    string
	slot    func(*Policy) slot
}

func (k *key) String() string {
	if k.section == "" {
		return k.name
	}
	return k.section + "." + k.name
}

// keys is the policy's whole language but for version, in the order of a canonical document. Parsing, writing,
// checking, flags and the test of the schema all follow it. Keys of one section stand together.
var keys = [...]key{
	{"", "level", func(p *Policy) slot { return word(&p.Level, levels) }},
	{"", "minConfinement", func(p *Policy) slot { return word(&p.MinConfinement, confinements) }},
	{"filesystem", "default", func(p *Policy) slot { return word(&p.Filesystem.Default, "deny read") }},
	{"filesystem", "allowRead", func(p *Policy) slot { return list{&p.Filesystem.AllowRead, checkGrant} }},
	{"filesystem", "denyRead", func(p *Policy) slot { return list{&p.Filesystem.DenyRead, checkPath} }},
	{"filesystem", "allowWrite", func(p *Policy) slot { return list{&p.Filesystem.AllowWrite, checkGrant} }},
	{"filesystem", "denyWrite", func(p *Policy) slot { return list{&p.Filesystem.DenyWrite, checkPath} }},
	{"filesystem", "tmpSize", func(p *Policy) slot { return limited(size(&p.Filesystem.TmpSize, LeastTmpSize)) }},
	{"network", "allowedDomains", func(p *Policy) slot { return list{&p.Network.AllowedDomains, checkDomain} }},
	{"network", "deniedDomains", func(p *Policy) slot { return list{&p.Network.DeniedDomains, checkDomain} }},
	{"network", "allowPrivate", func(p *Policy) slot { return flagSlot(&p.Network.AllowPrivate) }},
	{"network", "checkServerName", func(p *Policy) slot { return newChoice(&p.Network.CheckServerName) }},
	{"network", "allowUnixSockets", func(p *Policy) slot { return list{&p.Network.AllowUnixSockets, checkSocket} }},
	{"network", "publish", func(p *Policy) slot { return list{&p.Network.Publish, checkPublish} }},
	{"subprocess", "allow", func(p *Policy) slot { return newChoice(&p.Subprocess.Allow) }},
	{"", "env", func(p *Policy) slot { return variables{p} }},
	{"", "envVars", func(p *Policy) slot { return list{&p.EnvVars, checkForwarded} }},
	{"limits", "cpu", func(p *Policy) slot { return amount(&p.Limits.CPU, strictjson.String, strictjson.Number) }},
	{"limits", "memory", func(p *Policy) slot { return size(&p.Limits.Memory, LeastMemory) }},
	{"limits", "addressSpace", func(p *Policy) slot { return size(&p.Limits.AddressSpace, LeastAddressSpace) }},
	{"limits", "pids", func(p *Policy) slot { return amount(&p.Limits.Pids, strictjson.Number, 0) }},
	{"limits", "openFiles", func(p *Policy) slot { return count(&p.Limits.OpenFiles, LeastOpenFiles) }},
	{"limits", "fileSize", func(p *Policy) slot { return size(&p.Limits.FileSize, 0) }},
	{"limits", "io", func(p *Policy) slot { return size(&p.Limits.IO, 0) }},
	{"limits", "timeout", func(p *Policy) slot { return amount(&p.Limits.Timeout, strictjson.String, 0) }},
	{"limits", "grace", func(p *Policy) slot { return limited(amount(&p.Limits.Grace, strictjson.String, 0)) }},
	{"", "onStdinClose", func(p *Policy) slot { return word(&p.OnStdinClose, "terminate ignore") }},
	{"", "onHostExit", func(p *Policy) slot { return word(&p.OnHostExit, "terminate ignore") }},
	{"seccomp", "deny", func(p *Policy) slot { return list{&p.Seccomp.Deny, checkCall} }},
	{"", "umask", func(p *Policy) slot { return plain(&p.Umask, checkUmask) }},
	{"", "state", func(p *Policy) slot { return plain(&p.State, CheckState) }},
	{"", "cwd", func(p *Policy) slot { return plain(&p.Cwd, checkFolder) }},
	{"", "user", func(p *Policy) slot { return plain(&p.User, checkUser) }},
}

// Keys lists every key of a document but version, with its section in front: "filesystem.allowRead". The order
// is a canonical document's.
func Keys() []string {
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].String()
	}
	return names
}

// find returns the key of that name, or nil.
func find(section, name string) *key {
	for i := range keys {
		if k := &keys[i]; k.name == name && k.section == section {
			return k
		}
	}
	return nil
}

// isSection reports whether name is an object of keys.
func isSection(name string) bool {
	return name != "" && slices.ContainsFunc(keys[:], func(k key) bool { return k.section == name })
}
