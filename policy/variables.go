package policy

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// variables is the literal environment: an object of strings.
type variables struct{ p *Policy }

func (e variables) parse(v *strictjson.Value, r *report) {
	if v.Kind == strictjson.Null || !r.is(v, strictjson.Object, "") || len(v.Items) == 0 {
		return
	}
	env := make([]Variable, 0, len(v.Items))
	for i := range v.Items {
		m := &v.Items[i]
		below := string(strictjson.AppendPointer(nil, m.Name))
		if r.is(m, strictjson.String, below) {
			r.add(below, checkName(m.Name))
			r.add(below, checkValue(m.Text))
			env = append(env, Variable{m.Name, m.Text})
		}
	}
	e.p.Env = env
}

// set takes NAME=VALUE, which replaces an earlier value, or NAME, which forwards the launcher's.
func (e variables) set(s string) error {
	name, value, literal := strings.Cut(s, "=")
	if err := checkName(name); err != nil {
		return err
	}
	if !literal {
		return list{&e.p.EnvVars, checkName}.set(name)
	}
	if err := checkValue(value); err != nil {
		return err
	}
	env := slices.DeleteFunc(slices.Clone(e.p.Env), func(v Variable) bool { return v.Name == name })
	e.p.Env = append(env, Variable{name, value})
	return nil
}

func (e variables) check(r *report) {
	seen := make(map[string]struct{}, len(e.p.Env))
	for _, v := range e.p.Env {
		below := string(strictjson.AppendPointer(nil, v.Name))
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
