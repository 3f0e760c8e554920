package policy

import "github.com/security-mcp/mcp-sandbox/policy/strictjson"

// AppendJSON appends the policy's canonical document: keys in a fixed order, two spaces for each level, a
// newline at the end, and nothing for what is empty. The policySHA256 of a report is of these bytes.
//
// [Parse] reads it as an equal Policy, if the Policy is valid.
func (p Policy) AppendJSON(b []byte) []byte {
	w := strictjson.Writer{Buf: b, Indent: true}
	w.Object()
	w.Name("version")
	w.Int(1)
	section := ""
	for i := range keys {
		k := &keys[i]
		s := k.slot(&p)
		if s.empty() {
			continue
		}
		if k.section != section {
			if section != "" {
				w.EndObject()
			}
			if section = k.section; section != "" {
				w.Name(section)
				w.Object()
			}
		}
		w.Name(k.name)
		s.write(&w)
	}
	if section != "" {
		w.EndObject()
	}
	w.EndObject()
	return append(w.Buf, '\n')
}
