package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

// A Change wraps a server, or unwraps one if Program is empty.
type Change struct {
	Server  int    // its place among Servers
	Program string // mcp-sandbox
	Policy  string // the file that wrap wrote for the server
}

var errBreak = errors.New("the change would break the file")

// Rewrite is the file with servers changed. A plain server is not unwrapped and a wrapped one not wrapped again; a
// server that cannot be changed is an error.
func (d *Document) Rewrite(changes []Change) ([]byte, error) {
	all, done, err := d.splices(changes)
	if err != nil {
		return nil, err
	}
	after, err := d.apply(all)
	if err != nil || len(done) == 0 {
		return after, err
	}
	if err := d.verify(after, done); err != nil {
		return nil, err
	}
	return after, nil
}

// splices are those of changes, in the order of the file, and the changes that there are to make.
func (d *Document) splices(changes []Change) (all []splice, done []Change, err error) {
	for _, c := range changes {
		s, e := &d.servers[c.Server], &d.entries[c.Server]
		var more []splice
		var err error
		switch {
		case s.State == Cannot:
			err = errors.New(s.Reason)
		case s.State == Plain && c.Program != "":
			if !utf8.ValidString(c.Program + c.Policy) {
				err = errors.New("the path of the launcher or of the policy is not UTF-8")
			} else {
				more, err = d.wrap(e, c.Program, c.Policy)
			}
		case s.State == Wrapped && c.Program == "":
			more, err = d.unwrap(e)
		default:
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("server %q: %w", s.Name, err)
		}
		all, done = append(all, more...), append(done, c)
	}
	slices.SortStableFunc(all, func(a, b splice) int { return a.start - b.start })
	return all, done, nil
}

// verify reads the result with other eyes: all values are what they were, but for the words of the entries. The bytes
// that no splice names were copied.
func (d *Document) verify(after []byte, done []Change) error {
	want, err := decode(d.bytes, d.form.Syntax)
	if err != nil {
		return err
	}
	got, err := decode(after, d.form.Syntax)
	if err != nil {
		return errBreak
	}
	again, err := Open(after, d.form, d.ours)
	if err != nil {
		return fmt.Errorf("%w: %w", errBreak, err)
	}
	if len(again.servers) != len(d.servers) {
		return errors.New("the change would hide a server")
	}
	for _, c := range done {
		before, now, state := &d.servers[c.Server], &again.servers[c.Server], Plain
		if c.Program != "" {
			state = Wrapped
		}
		if now.State != state && now.Reason == "" || now.Policy != c.Policy && c.Program != "" ||
			!slices.Equal(now.Command, before.Command) {
			return fmt.Errorf("server %q: the change would not be what was asked for", before.Name)
		}
		if err := d.expect(want, c); err != nil {
			return fmt.Errorf("server %q: %w", before.Name, err)
		}
	}
	if !same(want, got) {
		return errors.New("the change would touch more than the entry")
	}
	return nil
}

// expect changes the words of an entry in decoded values.
func (d *Document) expect(root any, c Change) error {
	s, e := &d.servers[c.Server], &d.entries[c.Server]
	words := s.Command
	_, args := lookup(lookupAll(root, e.path), "args")
	if c.Program != "" {
		own := []string{c.Program, "run", "--policy", c.Policy, "--"}
		if !args && !e.list {
			own = []string{c.Program, "run", "--policy=" + c.Policy, "--"}
		}
		words, args = append(own, words...), true
	} else if e.hadNoArgs() {
		args = false
	}
	list := make([]any, len(words))
	for i, word := range words {
		list[i] = word
	}
	holder, ok := lookupAll(root, e.path).(map[string]any)
	switch {
	case !ok:
		return errors.New("the entry was not found again")
	case e.list:
		holder[e.command] = list
		return nil
	case args:
		holder["args"] = list[1:]
	default:
		delete(holder, "args")
	}
	holder[e.command] = list[0]
	return nil
}

func lookupAll(v any, path []any) any {
	for _, step := range path {
		v, _ = lookup(v, step)
	}
	return v
}

func lookup(v, step any) (any, bool) {
	switch at := v.(type) {
	case map[string]any:
		name, _ := step.(string)
		found, ok := at[name]
		return found, ok
	case map[any]any:
		found, ok := at[step]
		return found, ok
	case []any:
		if i, ok := step.(int); ok && i < len(at) {
			return at[i], true
		}
	}
	return nil, false
}

// decode makes Go values of a file.
func decode(file []byte, syntax mcphosts.Syntax) (v any, err error) {
	file = bytes.TrimPrefix(file, mark)
	switch syntax {
	case mcphosts.TOML:
		var all map[string]any
		err = toml.Unmarshal(file, &all)
		return all, err
	case mcphosts.YAML:
		err = yaml.Unmarshal(file, &v)
		return v, err
	}
	if file, err = hujson.Standardize(append(bytes.Clone(file), '\n')); err != nil { // which writes into its argument
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(file))
	decoder.UseNumber()
	err = decoder.Decode(&v)
	return v, err
}

// same compares decoded values; what is no number is the same as itself here.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && sameMap(a, b)
	case map[any]any:
		b, ok := b.(map[any]any)
		return ok && sameMap(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	}
	return fmt.Sprintf("%T %v", a, a) == fmt.Sprintf("%T %v", b, b)
}

func sameMap[K comparable](a, b map[K]any) bool {
	for key, value := range a {
		if other, there := b[key]; !there || !same(value, other) {
			return false
		}
	}
	return len(a) == len(b)
}
