package policy

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/nearest"
)

// suggest says which key was probably meant, or what the key is of, or nothing.
func suggest(section, name string) string {
	if section == "" {
		if whose := foreignKey(name); whose != "" {
			return whose
		}
	}
	if known := synonym(name); known != "" {
		return didYouMean(strings.TrimPrefix(known, section+"."))
	}
	var names []string
	elsewhere := ""
	for i := range keys {
		k := &keys[i]
		switch {
		case k.section == section:
			names = append(names, k.name)
		case section == "":
			names = append(names, k.section)
		}
		if k.name == name && elsewhere == "" {
			elsewhere = k.String()
		}
	}
	if section == "" {
		names = append(names, "version")
	}
	best := nearest.Of(name, names)
	if best == "" {
		best = elsewhere
	}
	if best == "" && section == "" {
		best = nearestOfAll(name)
	}
	if best == "" {
		return ""
	}
	return didYouMean(best)
}

// foreignKey says of a document's key at the top which other document has that key.
func foreignKey(name string) string {
	switch name {
	case "mcpServers", "servers", "context_servers":
		return ": this is an MCP client's configuration; a policy is a file of its own for one server"
	case "command", "args":
		return ": the command is no part of a policy, but stands on the command line"
	case "permissions", "sandbox", "hooks", "enabledPlugins":
		return ": this is a settings file of Claude Code; a policy is a file of its own for one server"
	case "image", "volumes", "ports", "services":
		return ": this is a container's; a policy has filesystem.allowRead, filesystem.allowWrite and env"
	}
	return ""
}

// synonym is the key that other programs call by that name.
func synonym(name string) string {
	const words = "environment env environ env workdir cwd workingDir cwd workingDirectory cwd envFrom envVars " +
		"domains network.allowedDomains hosts network.allowedDomains allowedHosts network.allowedDomains " +
		"allowHosts network.allowedDomains allowed_outbound_hosts network.allowedDomains " +
		"blockedDomains network.deniedDomains deniedHosts network.deniedDomains " +
		"mem limits.memory cpus limits.cpu ulimits limits.openFiles nofile limits.openFiles"
	list := strings.Fields(words)
	for i := 0; i < len(list); i += 2 {
		if list[i] == name {
			return list[i+1]
		}
	}
	return ""
}

// nearestOfAll is the key of any section that was probably meant at the top.
func nearestOfAll(name string) string {
	var names []string
	for i := range keys {
		names = append(names, keys[i].name)
	}
	best := nearest.Of(name, names)
	for i := range keys {
		if keys[i].name == best {
			return keys[i].String()
		}
	}
	return ""
}
