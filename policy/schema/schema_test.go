package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func load(t *testing.T) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(JSON(), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// The schema, the parser and the Go types have the same keys.
func TestKeys(t *testing.T) {
	want := slices.Sorted(slices.Values(policy.Keys()))
	var schema []string
	for name, s := range load(t).Properties {
		switch {
		case name == "version":
		case s.Properties == nil:
			schema = append(schema, name)
		default:
			for inner := range s.Properties {
				schema = append(schema, name+"."+inner)
			}
		}
	}
	slices.Sort(schema)
	if !slices.Equal(schema, want) {
		t.Errorf("schema: %q\nparser: %q", schema, want)
	}
	fields := slices.Sorted(slices.Values(walk(reflect.TypeFor[policy.Policy](), "")))
	if !slices.Equal(fields, want) {
		t.Errorf("types:  %q\nparser: %q", fields, want)
	}
}

// walk names the fields of a struct as a document does: CPU is cpu, AllowRead is allowRead.
func walk(t reflect.Type, section string) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		r := []rune(f.Name)
		for j := range r {
			if j > 0 && j+1 < len(r) && unicode.IsLower(r[j+1]) || j > 0 && unicode.IsLower(r[j]) {
				break
			}
			r[j] = unicode.ToLower(r[j])
		}
		name := section + string(r)
		if f.Type.Kind() == reflect.Struct {
			names = append(names, walk(f.Type, name+".")...)
			continue
		}
		names = append(names, name)
	}
	return names
}

// The words of the schema are the words of the parser and of the Go constants.
func TestWords(t *testing.T) {
	s := load(t).Properties
	for key, want := range map[string][]any{
		"level":          {string(policy.Strict), string(policy.Standard), string(policy.LevelNetwork), string(policy.Privileged)},
		"minConfinement": {string(policy.Full), string(policy.Reduced), string(policy.ConfinementLimits), string(policy.None)},
		"onStdinClose":   {string(policy.Terminate), string(policy.Ignore)},
		"onHostExit":     {string(policy.Terminate), string(policy.Ignore)},
	} {
		check(t, key, s[key].Enum, want)
	}
	check(t, "filesystem.default", s["filesystem"].Properties["default"].Enum, []any{string(policy.Deny), string(policy.Read)})
}

func check(t *testing.T, key string, enum, want []any) {
	if !slices.Equal(enum, want) {
		t.Errorf("%s: the schema has %v, want %v", key, enum, want)
	}
	for _, word := range enum {
		if err := new(policy.Policy).Set(key, word.(string)); err != nil {
			t.Errorf("%s: the parser refuses %v: %v", key, word, err)
		}
	}
}
