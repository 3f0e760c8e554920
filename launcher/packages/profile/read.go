package profile

import (
	"errors"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// granting are the keys of a policy that a profile may hold: none of them takes anything away.
const (
	grantingLists = "filesystem.allowRead filesystem.allowWrite network.allowedDomains"
	granting      = grantingLists + " filesystem.tmpSize limits.memory limits.pids limits.openFiles env"
)

// Parse reads the document of a profile, which must be right in every respect. The error is a [strictjson.Errors] with
// all that is wrong, each with its place.
func Parse(doc []byte) (*Profile, error) {
	var errs strictjson.Errors
	root, err := strictjson.Parse(doc)
	if err != nil {
		errors.As(err, &errs)
	}
	if root == nil {
		return nil, errs
	}
	r := &reader{errs: &errs}
	p := new(Profile)
	r.members(root, "", map[string]func(*strictjson.Value, string){
		"package":   func(v *strictjson.Value, at string) { p.Package = r.text(v, at, checkID) },
		"policy":    func(v *strictjson.Value, at string) { r.policy(v, at, &p.Policy) },
		"arguments": func(v *strictjson.Value, at string) { p.Arguments = r.arguments(v, at) },
		"env": func(v *strictjson.Value, at string) {
			r.members(v, at, map[string]func(*strictjson.Value, string){
				"required": func(v *strictjson.Value, at string) { p.Required = r.list(v, at, checkVariables) },
				"optional": func(v *strictjson.Value, at string) { p.Optional = r.list(v, at, checkVariables) },
				"unless":   func(v *strictjson.Value, at string) { p.Unless = r.list(v, at, checkGiven) },
			})
		},
		"flags":     func(v *strictjson.Value, at string) { p.Flags = r.list(v, at, checkFlag) },
		"hostsFrom": func(v *strictjson.Value, at string) { p.HostsFrom = r.list(v, at, checkVariable) },
		"state":     func(v *strictjson.Value, at string) { p.State = r.yes(v, at) },
		"moves":     func(v *strictjson.Value, at string) { p.Moves = r.yes(v, at) },
	})
	if p.Package == "" && len(errs) == 0 {
		errs.Add("/package", `missing: write "package": "npm:NAME"`)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return p, nil
}

// A reader gathers the errors of one document.
type reader struct{ errs *strictjson.Errors }

func (r *reader) add(at string, err error) {
	if err != nil {
		r.errs.Add(at, err.Error())
	}
}

func (r *reader) is(v *strictjson.Value, at string, k strictjson.Kind) bool {
	if v.Kind != k {
		r.errs.Add(at, "must be "+k.String()+", not "+v.Kind.String())
	}
	return v.Kind == k
}

// members reads an object with known keys.
func (r *reader) members(v *strictjson.Value, at string, known map[string]func(*strictjson.Value, string)) {
	if !r.is(v, at, strictjson.Object) {
		return
	}
	for i := range v.Items {
		m := &v.Items[i]
		below := at + strictjson.Step(m.Name)
		if read := known[m.Name]; read != nil {
			read(m, below)
		} else {
			r.errs.Add(below, "unknown key")
		}
	}
}

func (r *reader) text(v *strictjson.Value, at string, check func(string) error) string {
	if !r.is(v, at, strictjson.String) {
		return ""
	}
	r.add(at, check(v.Text))
	return v.Text
}

func (r *reader) yes(v *strictjson.Value, at string) bool {
	return r.is(v, at, strictjson.Bool) && v.Text == "true"
}

func (r *reader) list(v *strictjson.Value, at string, check func(string) error) (all []string) {
	if !r.is(v, at, strictjson.Array) {
		return nil
	}
	for i := range v.Items {
		all = append(all, r.text(&v.Items[i], at+"/"+strconv.Itoa(i), check))
	}
	return all
}

// policy reads the keys of a policy that grant.
func (r *reader) policy(v *strictjson.Value, at string, into *policy.Policy) {
	if !r.is(v, at, strictjson.Object) {
		return
	}
	for i := range v.Items {
		m := &v.Items[i]
		below := at + strictjson.Step(m.Name)
		if m.Name == "env" {
			r.variables(m, below, into)
			continue
		}
		if !r.is(m, below, strictjson.Object) {
			continue
		}
		for j := range m.Items {
			key := &m.Items[j]
			r.key(key, m.Name+"."+key.Name, below+strictjson.Step(key.Name), into)
		}
	}
}

// key reads one key of a section.
func (r *reader) key(v *strictjson.Value, name, at string, into *policy.Policy) {
	if !isWord(granting, name) {
		r.errs.Add(at, "is no key of a profile: those are "+strings.ReplaceAll(granting, " ", ", "))
		return
	}
	switch {
	case isWord(grantingLists, name):
		r.list(v, at, func(s string) error { return into.Set(name, s) })
	case v.Kind == strictjson.Number || r.is(v, at, strictjson.String):
		r.add(at, into.Set(name, v.Text))
	}
}

// variables reads the literal variables.
func (r *reader) variables(v *strictjson.Value, at string, into *policy.Policy) {
	if !r.is(v, at, strictjson.Object) {
		return
	}
	for i := range v.Items {
		m := &v.Items[i]
		r.text(m, at+strictjson.Step(m.Name), func(s string) error { return into.Set("env", m.Name+"="+s) })
	}
}

// arguments reads the sources.
func (r *reader) arguments(v *strictjson.Value, at string) (all []Argument) {
	if !r.is(v, at, strictjson.Array) {
		return nil
	}
	for i := range v.Items {
		all = append(all, r.argument(&v.Items[i], at+"/"+strconv.Itoa(i)))
	}
	return all
}

func (r *reader) argument(v *strictjson.Value, at string) Argument {
	a := Argument{Position: -1}
	word := func(into *string, check func(string) error) func(*strictjson.Value, string) {
		return func(v *strictjson.Value, at string) { *into = r.text(v, at, check) }
	}
	before := len(*r.errs)
	r.members(v, at, map[string]func(*strictjson.Value, string){
		"position": func(v *strictjson.Value, at string) { a.Position = r.position(v, at) },
		"rest":     func(v *strictjson.Value, at string) { a.Rest = r.yes(v, at) },
		"flag":     word(&a.Flag, checkFlag),
		"variable": word(&a.Variable, checkVariable),
		"grant":    word((*string)(&a.Grant), checkGrant),
		"folder":   func(v *strictjson.Value, at string) { a.Folder = r.yes(v, at) },
		"key":      word(&a.Key, checkText),
		"default":  word(&a.Default, checkText),
		"unless":   func(v *strictjson.Value, at string) { a.Unless = r.list(v, at, checkGiven) },
		"scheme":   word(&a.Scheme, checkScheme),
		"portFrom": word(&a.PortFrom, checkVariable),
	})
	if len(*r.errs) == before {
		r.add(at, a.check())
	}
	return a
}

func (r *reader) position(v *strictjson.Value, at string) int {
	if !r.is(v, at, strictjson.Number) {
		return -1
	}
	n, err := strconv.ParseUint(v.Text, 10, 8)
	if err != nil {
		r.errs.Add(at, v.Text+" is no position: the first argument is 0")
	}
	return int(n)
}
