package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// list is strings that all pass one check. null is an empty list: Go writes null for a nil slice.
type list struct {
	at   *[]string
	item func(string) error
}

func (l list) parse(v *strictjson.Value, r *keyErrors) {
	if v.Kind == strictjson.Null || !r.is(v, strictjson.Array, "", l.meant(v)) || len(v.Items) == 0 {
		return
	}
	items := make([]string, 0, len(v.Items))
	for i := range v.Items {
		if r.is(&v.Items[i], strictjson.String, "/"+strconv.Itoa(i), "") {
			items = append(items, v.Items[i].Text)
			r.addAt(i, l.item(v.Items[i].Text))
		}
	}
	*l.at = items
}

// meant is a single string as a list.
func (l list) meant(v *strictjson.Value) string {
	if v.Kind != strictjson.String || l.item(v.Text) != nil {
		return `["…"]`
	}
	return "[" + text.Quote(v.Text) + "]"
}

func (l list) set(values []string) error {
	for _, s := range values {
		if err := l.item(s); err != nil {
			return err
		}
	}
	*l.at = append(slices.Clip(*l.at), values...) // never into an array that a copy of the Policy shares
	return nil
}

func (l list) check(r *keyErrors) {
	for i, s := range *l.at {
		r.addAt(i, l.item(s))
	}
}

func (l list) empty() bool { return len(*l.at) == 0 }

func (l list) write(w *strictjson.Writer) { w.Strings(*l.at) }

// variables is the literal environment: an object of strings.
type variables struct{ p *Policy }

func (e variables) parse(v *strictjson.Value, r *keyErrors) {
	if v.Kind == strictjson.Null || !r.is(v, strictjson.Object, "", `{"NAME": "value"}`) || len(v.Items) == 0 {
		return
	}
	env := make([]Variable, 0, len(v.Items))
	for i := range v.Items {
		m := &v.Items[i]
		below := strictjson.Step(m.Name)
		if r.is(m, strictjson.String, below, "the value between quotes") {
			r.add(below, checkName(m.Name))
			r.add(below, checkValue(m.Text))
			env = append(env, Variable{m.Name, m.Text})
		}
	}
	e.p.Env = env
}

// set takes NAME=VALUE, which replaces an earlier value, or NAME or PREFIX_*, which forward the launcher's.
func (e variables) set(values []string) error {
	var forwarded []string
	env := slices.Clip(e.p.Env)
	for _, s := range values {
		name, value, literal := strings.Cut(s, "=")
		if !literal {
			if err := checkForwarded(name); err != nil {
				return err
			}
			forwarded = append(forwarded, name)
			continue
		}
		if err := checkName(name); err != nil {
			return err
		}
		if err := checkValue(value); err != nil {
			return err
		}
		env = append(env, Variable{name, value})
	}
	if len(env) > len(e.p.Env) {
		e.p.Env = lastOf(env, func(v Variable) string { return v.Name }) // append has copied the clipped env
	}
	e.p.EnvVars = append(slices.Clip(e.p.EnvVars), forwarded...)
	return nil
}

func (e variables) check(r *keyErrors) {
	seen := make(map[string]struct{}, len(e.p.Env))
	for _, v := range e.p.Env {
		below := strictjson.Step(v.Name)
		r.add(below, checkName(v.Name))
		r.add(below, checkValue(v.Value))
		if _, twice := seen[v.Name]; twice {
			r.add(below, textError("this variable occurs twice"))
		}
		seen[v.Name] = struct{}{}
	}
}

func (e variables) empty() bool { return len(e.p.Env) == 0 }

func (e variables) write(w *strictjson.Writer) {
	w.Object()
	for _, v := range e.p.Env {
		w.Name(v.Name)
		w.String(v.Value)
	}
	w.EndObject()
}
