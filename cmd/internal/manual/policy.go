package manual

import (
	"encoding/json"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A node is the part of a JSON Schema that a page tells of.
type node struct {
	Description string           `json:"description"`
	Type        any              `json:"type"`
	Enum        []string         `json:"enum"`
	Const       any              `json:"const"`
	Properties  map[string]*node `json:"properties"`
	Items       *node            `json:"items"`
	Ref         string           `json:"$ref"`
	Defs        map[string]*node `json:"$defs"`
	AnyOf       []*node          `json:"anyOf"`
}

// Policy is the page of the policy's language, from its JSON Schema.
func Policy(schema []byte) (*Page, error) {
	var root node
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, err
	}
	p := &Page{
		Name: "mcp-sandbox-policy", Section: "5", Short: "what one MCP server may do",
		Synopsis: []string{"mcp-sandbox run --policy FILE -- COMMAND", "mcp-sandbox policy check FILE"},
		Text: root.Description + `

A policy is JSON in UTF-8. Below, filesystem.allowRead is the key allowRead in the object filesystem. A key that is left
out has its default.
`,
		Examples: `  {
    "version": 1,
    "filesystem": {"allowRead": ["~/notes"], "allowWrite": ["~/project"]},
    "network": {"allowedDomains": ["api.example.com"]},
    "envVars": ["EXAMPLE_TOKEN"]
  }
`,
		Also: []string{"mcp-sandbox-policy-check(1)", "mcp-sandbox-policy-explain(1)", "mcp-sandbox-policy-show(1)",
			"mcp-sandbox-run(1)", "mcp-sandbox(1)"},
	}
	p.Flags = append(p.Flags, Flag{Text: "KEYS"})
	p.add("version", root.Properties["version"])
	section := ""
	for _, key := range policy.Keys() {
		first, name, nested := strings.Cut(key, ".")
		n := root.Properties[first]
		if nested {
			if first != section {
				p.add(first, n)
			}
			n = n.Properties[name]
		}
		section = first
		p.add(key, n)
	}
	p.Flags = append(p.Flags, Flag{Text: "Values"})
	for _, name := range []string{"path", "grant", "domain", "publish", "name", "forwarded", "call"} {
		p.Flags = append(p.Flags, Flag{Term: name, Text: root.Defs[name].Description})
	}
	return p, nil
}

// add adds the entry of a key.
func (p *Page) add(key string, n *node) {
	p.Flags = append(p.Flags, Flag{Term: key, Value: n.kind(), Text: n.Description})
}

// kind is what a value is, in a word or two.
func (n *node) kind() string {
	kind, _ := n.Type.(string)
	if list, ok := n.Type.([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	switch {
	case len(n.Enum) > 0:
		return strings.Join(n.Enum, "|")
	case n.Ref != "":
		return n.Ref[strings.LastIndexByte(n.Ref, '/')+1:]
	case n.Const != nil:
		return strings.TrimSpace(asText(n.Const))
	case n.Items != nil:
		return "[" + n.Items.kind() + "...]"
	case len(n.AnyOf) > 0:
		var all []string
		for _, one := range n.AnyOf {
			all = append(all, one.kind())
		}
		return strings.Join(all, "|")
	}
	return kind
}

func asText(value any) string {
	text, _ := json.Marshal(value) // a number or a string
	return string(text)
}
