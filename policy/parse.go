package policy

import (
	"errors"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// MaxDocument is how long a document that a user wrote may be, in bytes.
const MaxDocument = 1 << 20

// Parse reads a policy document of version 1, which must be right in every respect. The error is an [Errors] with all
// that is wrong, each with its place.
//
// Paths stay as written: [Policy.Absolute] reads them. [Policy.Effective] fills in the defaults.
func Parse(doc []byte) (Policy, error) {
	if len(doc) > MaxDocument {
		return Policy{}, Errors{{Msg: "the document is longer than " + strconv.Itoa(MaxDocument) + " bytes"}}
	}
	return ParseCanonical(doc)
}

// ParseCanonical is [Parse] without the limit, for what [Policy.AppendJSON] wrote: absolute paths, defaults and
// one line for each element make that document longer than the one that a user wrote.
func ParseCanonical(doc []byte) (Policy, error) {
	var p Policy
	var errs Errors
	root, err := strictjson.Parse(doc)
	if err != nil {
		errors.As(err, &errs)
	}
	if root == nil && len(doc) > 1 && (doc[0] == 0 || doc[1] == 0 || doc[0]^doc[1] == 0xff^0xfe) {
		errs = nil
		errs.Add("", "the document is UTF-16: save it as UTF-8, as every JSON is; RFC 8259, 8.1")
		return Policy{}, errs
	}
	if root == nil {
		if c := firstOf(doc); c == '-' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			errs[0].Msg += ": a policy is JSON, which begins with {, and no YAML"
		}
		return Policy{}, errs
	}
	if root.Kind != strictjson.Object {
		errs.Add("", "a policy must be an object, not "+root.Kind.String())
		return Policy{}, errs
	}
	p.parse(root, &errs)
	p.relations(&errs)
	if len(errs) > 0 {
		return Policy{}, errs
	}
	return p, nil
}

// firstOf is the first byte of a document that is no white space; 0 where there is none.
func firstOf(doc []byte) byte {
	for _, c := range doc {
		if c > ' ' {
			return c
		}
	}
	return 0
}

func (p *Policy) parse(root *strictjson.Value, errs *Errors) {
	version, foreign := false, false
	for i := range root.Items {
		m := &root.Items[i]
		switch {
		case m.Name == "version":
			version = true
			checkVersion(m, errs)
		case isSection(m.Name):
			p.section(m, errs)
		default:
			foreign = foreign || foreignKey(m.Name) != ""
			p.member("", m, errs)
		}
	}
	if !version && !foreign {
		errs.Add("/version", `missing: write "version": 1`)
	}
}

func checkVersion(v *strictjson.Value, errs *Errors) {
	switch {
	case v.Kind != strictjson.Number:
		errs.Add("/version", "must be a number, not "+v.Kind.String())
	case v.Text != "1":
		errs.Add("/version", text.Quote(v.Text)+" is unknown: this program knows version 1")
	}
}

// section reads one object of keys. null is an empty one.
func (p *Policy) section(v *strictjson.Value, errs *Errors) {
	switch v.Kind {
	case strictjson.Object:
		for i := range v.Items {
			p.member(v.Name, &v.Items[i], errs)
		}
	case strictjson.Null:
	default:
		errs.Add("/"+v.Name, "must be an object, not "+v.Kind.String())
	}
}

func (p *Policy) member(section string, v *strictjson.Value, errs *Errors) {
	if k := find(section, v.Name); k != nil {
		k.slot(p).parse(v, &keyErrors{errs, k})
		return
	}
	if len(*errs) >= strictjson.MaxErrors {
		return // what was meant takes time to find
	}
	pointer := strictjson.Step(v.Name)
	if section != "" {
		pointer = "/" + section + pointer
	}
	errs.Add(pointer, "unknown key"+suggest(section, v.Name))
}
