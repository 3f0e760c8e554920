// Package strictjson reads and writes JSON (RFC 8259) where a document that can be read in two ways must not be read at
// all: a policy, an order, a report.
//
//	root, err := strictjson.Parse(doc)
//	for i := range root.Items {
//		member := &root.Items[i] // member.Name, member.Kind, member.Text
//	}
//
// Refused, besides what is no JSON: a name that occurs twice in one object (after its escapes are read), text
// that is not UTF-8, half of a surrogate pair, U+0000, anything after the document, and more than [MaxDepth]
// levels. Each error names its place as a JSON pointer (RFC 6901).
//
// Numbers stay text: the caller knows the range. There is no mapping to Go types, as in encoding/json, which takes the
// last of two equal names, folds case, and costs every start of the program 0.2 ms.
package strictjson
