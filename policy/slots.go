package policy

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// A number is a limit that knows its own syntax.
type number interface {
	UnmarshalText([]byte) error
	String() string
}

// amount is a limit, or the word unlimited.
type amount struct {
	at    number
	least Quantity // of a Quantity below which no server could run; 0: any will do
}

func (a amount) parse(v *strictjson.Value, r *report) {
	if a.kind(v, r) {
		r.add("", a.set(v.Text))
	}
}

// kind lets limits be what they are in other programs' documents: cores a string or a number, counts a number.
func (a amount) kind(v *strictjson.Value, r *report) bool {
	switch a.at.(type) {
	case *CPU:
		return v.Kind == strictjson.Number || r.is(v, strictjson.String, "")
	case *Count:
		return v.Kind == strictjson.String && v.Text == unlimited || r.is(v, strictjson.Number, "")
	}
	return r.is(v, strictjson.String, "")
}

func (a amount) set(s string) error {
	q, counted := a.at.(*Quantity)
	if !counted || a.least == 0 {
		return a.at.UnmarshalText([]byte(s))
	}
	var n Quantity
	if err := n.UnmarshalText([]byte(s)); err != nil {
		return err
	}
	if bytes, has := n.Value(); has && bytes < int64(a.least) {
		return invalid(s, "is below "+a.least.String()+", the least that it can be"+a.meant(s))
	}
	*q = n
	return nil
}

// meant is what somebody who left the unit out probably wanted to write.
func (a amount) meant(s string) string {
	for i := 1; digits(s) && len(s) < 6 && i < len(units); i++ { // from M on
		var n Quantity
		if s := s + units[i:i+1]; n.UnmarshalText([]byte(s)) == nil && n >= a.least {
			return ": a number alone is bytes (did you mean " + s + "?)"
		}
	}
	return ""
}

func (a amount) check(r *report) {
	if s := a.at.String(); s != "" {
		r.add("", a.set(s))
	}
}

func (a amount) empty() bool { return a.at.String() == "" }

func (a amount) write(w *strictjson.Writer) {
	if c, ok := a.at.(*Count); ok && *c > 0 {
		w.Int(int64(*c))
		return
	}
	w.String(a.at.String())
}

// limited is an amount that must be one: what never ends or fills the machine's memory is no policy.
type limited amount

func (l limited) parse(v *strictjson.Value, r *report) {
	if r.is(v, strictjson.String, "") {
		r.add("", l.set(v.Text))
	}
}

func (l limited) set(s string) error {
	if s == unlimited {
		return textError("must have a limit")
	}
	err := amount(l).set(s)
	if err != nil {
		return textError(strings.TrimSuffix(err.Error(), orUnlimited))
	}
	return nil
}

func (l limited) check(r *report) {
	if l.at.String() == unlimited {
		r.add("", textError("must have a limit"))
		return
	}
	amount(l).check(r)
}

func (l limited) empty() bool                { return amount(l).empty() }
func (l limited) write(w *strictjson.Writer) { amount(l).write(w) }

// grant is one given by one word. false says nothing, and null neither.
type grant struct{ at *bool }

func (f grant) parse(v *strictjson.Value, r *report) {
	if v.Kind != strictjson.Null && r.is(v, strictjson.Bool, "") {
		*f.at = v.Text == "true"
	}
}

func (f grant) set(s string) error {
	var b Bool
	err := b.UnmarshalText([]byte(s))
	if err == nil {
		*f.at = b == Yes
	}
	return err
}

func (f grant) check(*report)              {}
func (f grant) empty() bool                { return !*f.at }
func (f grant) write(w *strictjson.Writer) { w.Bool(*f.at) }

// choice is true, false or the level's.
type choice struct{ at *Bool }

func (c choice) parse(v *strictjson.Value, r *report) {
	if r.is(v, strictjson.Bool, "") {
		r.add("", c.set(v.Text))
	}
}

func (c choice) set(s string) error { return c.at.UnmarshalText([]byte(s)) }

func (c choice) check(r *report) {
	if *c.at > Yes {
		r.add("", textError(strconv.Itoa(int(*c.at))+" is neither Unset, No nor Yes"))
	}
}

func (c choice) empty() bool                { return *c.at == Unset }
func (c choice) write(w *strictjson.Writer) { w.Bool(*c.at == Yes) }
