package policy

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// A key is one key of the document that is no object of further keys.
type key struct {
	section string // "" at the top
	name    string
	flag    string // of mcp-sandbox run, without "--"
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
	{"", "level", "level", func(p *Policy) slot { return word(&p.Level, levels) }},
	{"", "minConfinement", "min-confinement", func(p *Policy) slot { return word(&p.MinConfinement, confinements) }},
	{"filesystem", "default", "fs-default", func(p *Policy) slot { return word(&p.Filesystem.Default, "deny read") }},
	{"filesystem", "allowRead", "allow-read",
		func(p *Policy) slot { return list{&p.Filesystem.AllowRead, checkGrant} }},
	{"filesystem", "denyRead", "deny-read", func(p *Policy) slot { return list{&p.Filesystem.DenyRead, checkPath} }},
	{"filesystem", "allowWrite", "allow-write",
		func(p *Policy) slot { return list{&p.Filesystem.AllowWrite, checkGrant} }},
	{"filesystem", "denyWrite", "deny-write", func(p *Policy) slot { return list{&p.Filesystem.DenyWrite, checkPath} }},
	{"filesystem", "tmpSize", "tmp-size",
		func(p *Policy) slot { return limited(size(&p.Filesystem.TmpSize, LeastTmpSize)) }},
	{"network", "allowedDomains", "allow-domain",
		func(p *Policy) slot { return list{&p.Network.AllowedDomains, checkDomain} }},
	{"network", "deniedDomains", "deny-domain",
		func(p *Policy) slot { return list{&p.Network.DeniedDomains, checkDomain} }},
	{"network", "allowPrivate", "allow-private", func(p *Policy) slot { return flagSlot(&p.Network.AllowPrivate) }},
	{"network", "checkServerName", "no-check-server-name",
		func(p *Policy) slot { return newChoice(&p.Network.CheckServerName) }},
	{"network", "allowUnixSockets", "allow-unix-socket",
		func(p *Policy) slot { return list{&p.Network.AllowUnixSockets, checkSocket} }},
	{"network", "publish", "publish", func(p *Policy) slot { return list{&p.Network.Publish, checkPublish} }},
	{"subprocess", "allow", "subprocess", func(p *Policy) slot { return newChoice(&p.Subprocess.Allow) }},
	{"", "env", "env", func(p *Policy) slot { return variables{p} }},
	{"", "envVars", "env", func(p *Policy) slot { return list{&p.EnvVars, checkForwarded} }},
	{"limits", "cpu", "cpu",
		func(p *Policy) slot { return amount(&p.Limits.CPU, strictjson.String, strictjson.Number) }},
	{"limits", "memory", "memory", func(p *Policy) slot { return size(&p.Limits.Memory, LeastMemory) }},
	{"limits", "addressSpace", "address-space",
		func(p *Policy) slot { return size(&p.Limits.AddressSpace, LeastAddressSpace) }},
	{"limits", "pids", "pids", func(p *Policy) slot { return amount(&p.Limits.Pids, strictjson.Number, 0) }},
	{"limits", "openFiles", "open-files", func(p *Policy) slot { return count(&p.Limits.OpenFiles, LeastOpenFiles) }},
	{"limits", "fileSize", "file-size", func(p *Policy) slot { return size(&p.Limits.FileSize, 0) }},
	{"limits", "io", "io", func(p *Policy) slot { return size(&p.Limits.IO, 0) }},
	{"limits", "timeout", "timeout", func(p *Policy) slot { return amount(&p.Limits.Timeout, strictjson.String, 0) }},
	{"limits", "grace", "grace",
		func(p *Policy) slot { return limited(amount(&p.Limits.Grace, strictjson.String, 0)) }},
	{"", "onStdinClose", "on-stdin-close", func(p *Policy) slot { return word(&p.OnStdinClose, "terminate ignore") }},
	{"", "onHostExit", "on-host-exit", func(p *Policy) slot { return word(&p.OnHostExit, "terminate ignore") }},
	{"seccomp", "deny", "deny-syscall", func(p *Policy) slot { return list{&p.Seccomp.Deny, checkCall} }},
	{"", "umask", "umask", func(p *Policy) slot { return plain(&p.Umask, checkUmask) }},
	{"", "state", "state", func(p *Policy) slot { return plain(&p.State, CheckState) }},
	{"", "cwd", "cwd", func(p *Policy) slot { return plain(&p.Cwd, checkFolder) }},
	{"", "user", "user", func(p *Policy) slot { return plain(&p.User, checkUser) }},
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

// Flag returns the flag of mcp-sandbox run that sets a key, such as "--allow-read" for "filesystem.allowRead"; "" for
// no key.
func Flag(name string) string {
	for i := range keys {
		if keys[i].String() == name {
			return "--" + keys[i].flag
		}
	}
	return ""
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
