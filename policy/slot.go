package policy

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A slot is one value of a Policy with its ways in and out.
type slot interface {
	// parse takes the value from a document. A wrong value is reported, and the slot stays unchanged.
	parse(v *strictjson.Value, r *keyErrors)
	// set takes the values of a flag in their order: adds them to a list, and of anything else the last one
	// replaces it.
	set(values []string) error
	// check reports what a Go host could have written and a document could not.
	check(r *keyErrors)
	// empty reports whether nothing is said.
	empty() bool
	write(w *strictjson.Writer)
}

// keyErrors gathers the errors of one key.
type keyErrors struct {
	errs *Errors
	key  *key
}

// add reports an error at the key or below it: below is "" or starts with a slash.
func (r *keyErrors) add(below string, err error) {
	if err != nil {
		r.errs.Add(at(r.key.String())+below, err.Error())
	}
}

func (r *keyErrors) addAt(i int, err error) {
	if err != nil {
		r.add("/"+strconv.Itoa(i), err)
	}
}

// is reports whether v is of kind k, and an error where not: with the value as it was meant, "" where nothing tells.
func (r *keyErrors) is(v *strictjson.Value, k strictjson.Kind, below, meant string) bool {
	if v.Kind == k {
		return true
	}
	if meant != "" {
		meant = ": write " + meant
	}
	r.add(below, textError("must be "+k.String()+", not "+v.Kind.String()+meant))
	return false
}

// A scalar is a slot of one value. The zero value of T says nothing.
type scalar[T comparable] struct {
	at    *T
	kind  strictjson.Kind         // of the value in a document
	other strictjson.Kind         // a second kind that a document may have instead; null then says nothing
	read  func(string) (T, error) // of the text in a document or behind a flag
	text  func(T) string
}

func (s scalar[T]) parse(v *strictjson.Value, r *keyErrors) {
	word := s.kind == strictjson.Number && v.Kind == strictjson.String && v.Text == unlimited
	switch {
	case v.Kind == strictjson.Null && s.other == strictjson.Null:
	case word || v.Kind == s.other || r.is(v, s.kind, "", s.meant(v)):
		r.add("", s.set([]string{v.Text}))
	}
}

// meant is a value of another kind as the slot takes it: a number alone gets the unit or the second part that it lacks.
func (s scalar[T]) meant(v *strictjson.Value) string {
	t := v.Text
	for _, str := range [...]string{t, t + "s", t + "M", t + ":" + t, "0" + t} {
		switch _, err := s.read(str); {
		case err != nil || t == "" || v.Kind == strictjson.Null:
		case s.kind == strictjson.String:
			return text.Quote(str)
		default:
			return str
		}
	}
	return ""
}

func (s scalar[T]) set(values []string) error {
	for _, text := range values {
		value, err := s.read(text)
		if err != nil {
			return err
		}
		*s.at = value
	}
	return nil
}

func (s scalar[T]) check(r *keyErrors) {
	if !s.empty() {
		_, err := s.read(s.text(*s.at))
		r.add("", err)
	}
}

func (s scalar[T]) empty() bool {
	var zero T
	return *s.at == zero
}

func (s scalar[T]) write(w *strictjson.Writer) {
	text := s.text(*s.at)
	switch {
	case s.kind == strictjson.Bool:
		w.Bool(text == "true")
	case s.kind == strictjson.Number && text != unlimited:
		n, _ := strconv.ParseInt(text, 10, 64)
		w.Int(n)
	default:
		w.String(text)
	}
}
