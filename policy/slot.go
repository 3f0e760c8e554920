package policy

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// A slot is one value of a Policy with its ways in and out.
type slot interface {
	// parse takes the value from a document. What it cannot take it reports, and leaves the slot as it was.
	parse(v *strictjson.Value, r *report)
	// set takes the value from a flag: adds to a list, replaces anything else.
	set(s string) error
	// check reports what a Go host could have written and a document could not.
	check(r *report)
	// empty reports whether nothing is said.
	empty() bool
	write(w *strictjson.Writer)
}

// A report gathers the errors of one key.
type report struct {
	errs *Errors
	key  *key
}

// add reports an error at the key or below it: below is "" or starts with a slash.
func (r *report) add(below string, err error) {
	if err != nil {
		r.errs.Add(at(r.key.String())+below, err.Error())
	}
}

func (r *report) addAt(i int, err error) {
	if err != nil {
		r.add("/"+strconv.Itoa(i), err)
	}
}

// is reports whether v is of kind k, and an error where not. What k should have been is told with an example.
func (r *report) is(v *strictjson.Value, k strictjson.Kind, below string) bool {
	if v.Kind == k {
		return true
	}
	r.add(below, textError("must be "+k.String()+", not "+v.Kind.String()))
	return false
}

// list is strings that all pass one check. null is an empty list: what a Go program writes for a nil slice.
type list struct {
	at   *[]string
	item func(string) error
}

func (l list) parse(v *strictjson.Value, r *report) {
	if v.Kind == strictjson.Null || !r.is(v, strictjson.Array, "") || len(v.Items) == 0 {
		return
	}
	items := make([]string, 0, len(v.Items))
	for i := range v.Items {
		if r.is(&v.Items[i], strictjson.String, "/"+strconv.Itoa(i)) {
			items = append(items, v.Items[i].Text)
			r.addAt(i, l.item(v.Items[i].Text))
		}
	}
	*l.at = items
}

func (l list) set(s string) error {
	if err := l.item(s); err != nil {
		return err
	}
	*l.at = append((*l.at)[:len(*l.at):len(*l.at)], s) // never into an array that a copy of the Policy shares
	return nil
}

func (l list) check(r *report) {
	for i, s := range *l.at {
		r.addAt(i, l.item(s))
	}
}

func (l list) empty() bool { return len(*l.at) == 0 }

func (l list) write(w *strictjson.Writer) { w.Strings(*l.at) }

// text is a string that passes a check.
type text struct {
	at    *string
	valid func(string) error
}

func (t text) parse(v *strictjson.Value, r *report) {
	if r.is(v, strictjson.String, "") {
		r.add("", t.set(v.Text))
	}
}

func (t text) set(s string) error {
	err := t.valid(s)
	if err == nil {
		*t.at = s
	}
	return err
}

func (t text) check(r *report) {
	if *t.at != "" {
		r.add("", t.valid(*t.at))
	}
}

func (t text) empty() bool { return *t.at == "" }

func (t text) write(w *strictjson.Writer) { w.String(*t.at) }

// word is one of a few words, which stand in a string with spaces between.
type word struct {
	at    *string
	words string
}

func (c word) parse(v *strictjson.Value, r *report) { c.text().parse(v, r) }
func (c word) set(s string) error                   { return c.text().set(s) }
func (c word) check(r *report)                      { c.text().check(r) }
func (c word) empty() bool                          { return *c.at == "" }
func (c word) write(w *strictjson.Writer)           { w.String(*c.at) }

func (c word) text() text { return text{c.at, c.valid} }

func (c word) valid(s string) error {
	for w := range strings.SplitSeq(c.words, " ") {
		if w == s {
			return nil
		}
	}
	return invalid(s, "is none of: "+c.words)
}
