package hosts

import (
	"errors"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// Fit makes a patch that applies to the document as it is: where an object or a list is missing, or null, its addition
// has the value inside. after is the patched document. To remove an entry that the document does not have is an error:
// a flag gave that entry.
//
// Paths are those of answers: each step is the name of a member, the position of an element, or "-" behind the last
// one. Values are strings and booleans.
func Fit(document []byte, patch []order.Patch) (fitted []order.Patch, after []byte, err error) {
	root, err := strictjson.Parse(document)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range patch {
		steps := stepsOf(p.Path)
		if p.Op == "remove" {
			err = remove(root, steps)
		} else {
			p, err = add(root, steps, p)
		}
		if err != nil {
			return nil, nil, errors.New(p.Op + " " + p.Path + ": " + err.Error())
		}
		fitted = append(fitted, p)
	}
	w := strictjson.Writer{Indent: true}
	write(&w, root)
	return fitted, append(w.Buf, '\n'), nil
}

// stepsOf are the names of a JSON pointer, RFC 6901.
func stepsOf(pointer string) []string {
	steps := strings.Split(pointer, "/")[1:]
	for i, s := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
	}
	return steps
}

func pointerTo(steps []string) (pointer string) {
	for _, s := range steps {
		pointer += strictjson.Step(s)
	}
	return pointer
}

// at is the value that a step leads to; nil where v has none.
func at(v *strictjson.Value, step string) *strictjson.Value {
	for i := range v.Items {
		name := v.Items[i].Name
		if v.Kind == strictjson.Array {
			name = strconv.Itoa(i)
		}
		if name == step {
			return &v.Items[i]
		}
	}
	return nil
}

const nothing = "nothing is there"

func remove(root *strictjson.Value, steps []string) error {
	v, last := root, len(steps)-1
	for _, step := range steps[:last] {
		if v = at(v, step); v == nil {
			return errors.New(nothing)
		}
	}
	gone := at(v, steps[last])
	if gone == nil {
		return errors.New(nothing)
	}
	for i := range v.Items {
		if &v.Items[i] == gone {
			v.Items = append(v.Items[:i:i], v.Items[i+1:]...)
			break
		}
	}
	return nil
}

// add puts a value where a path leads, and returns the operation that does so.
func add(root *strictjson.Value, steps []string, p order.Patch) (order.Patch, error) {
	v, last := root, len(steps)-1
	for i, step := range steps[:last] {
		next := at(v, step)
		if next == nil || next.Kind == strictjson.Null {
			p.Path, p.Value = pointerTo(steps[:i+1]), nest(steps[i+1:], p.Value)
			return p, put(v, step, p.Value)
		}
		v = next
	}
	return p, put(v, steps[last], p.Value)
}

// nest is a value inside of the objects and the list that a path goes through.
func nest(steps []string, value any) any {
	if len(steps) == 0 {
		return value
	}
	inside := nest(steps[1:], value)
	if steps[0] == "-" {
		return []any{inside}
	}
	return map[string]any{steps[0]: inside}
}

// put adds a member, which replaces the one of that name, or an element behind the last one; RFC 6902, 4.1.
func put(v *strictjson.Value, step string, value any) error {
	made := valueOf(value)
	switch {
	case v.Kind == strictjson.Array && step == "-":
	case v.Kind == strictjson.Object:
		made.Name = step
		if old := at(v, step); old != nil {
			*old = made
			return nil
		}
	default:
		return errors.New(v.Kind.String() + " is there")
	}
	v.Items = append(v.Items, made)
	return nil
}

// valueOf is a value that answers have, or that nest made of one.
func valueOf(value any) strictjson.Value {
	switch v := value.(type) {
	case bool:
		return strictjson.Value{Kind: strictjson.Bool, Text: strconv.FormatBool(v)}
	case string:
		return strictjson.Value{Kind: strictjson.String, Text: v}
	case []any:
		list := strictjson.Value{Kind: strictjson.Array}
		for _, item := range v {
			list.Items = append(list.Items, valueOf(item))
		}
		return list
	case map[string]any: // of one member
		object := strictjson.Value{Kind: strictjson.Object}
		for name, member := range v {
			m := valueOf(member)
			m.Name = name
			object.Items = append(object.Items, m)
		}
		return object
	}
	return strictjson.Value{Kind: strictjson.Null, Text: "null"}
}

func write(w *strictjson.Writer, v *strictjson.Value) {
	switch v.Kind {
	case strictjson.Object:
		w.Object()
		for i := range v.Items {
			w.Name(v.Items[i].Name)
			write(w, &v.Items[i])
		}
		w.EndObject()
	case strictjson.Array:
		w.Array()
		for i := range v.Items {
			write(w, &v.Items[i])
		}
		w.EndArray()
	case strictjson.String:
		w.String(v.Text)
	default:
		w.Raw([]byte(v.Text))
	}
}
