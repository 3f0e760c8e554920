package policy

import "github.com/security-mcp/mcp-sandbox/policy/nearest"

// suggest says which key was probably meant, or what the key is of, or nothing.
func suggest(section, name string) string {
	if section == "" {
		switch name {
		case "mcpServers", "servers", "context_servers":
			return ": this is an MCP client's configuration; a policy is a file of its own for one server"
		case "command", "args":
			return ": the command is no part of a policy, but stands on the command line"
		}
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
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}
