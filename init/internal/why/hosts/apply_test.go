package hosts_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// apply applies a patch as RFC 6902 has it: add and remove, of a member or an element whose parent is there.
func apply(t *testing.T, document, patch string) string {
	t.Helper()
	var root any
	var ops []struct {
		Op, Path string
		Value    any
	}
	if err := json.Unmarshal([]byte(document), &root); err != nil {
		t.Fatal(document, err)
	}
	if err := json.Unmarshal([]byte(patch), &ops); err != nil {
		t.Fatal(patch, err)
	}
	for _, o := range ops {
		var err error
		steps := strings.Split(o.Path, "/")[1:]
		for i := range steps {
			steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[i])
		}
		if root, err = applied(root, steps, o.Op, o.Value); err != nil {
			t.Fatalf("%s: %s %s: %v", document, o.Op, o.Path, err)
		}
	}
	b, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// applied is a value with an operation carried out below.
func applied(at any, steps []string, op string, value any) (any, error) {
	name, last := steps[0], len(steps) == 1
	switch v := at.(type) {
	case map[string]any:
		inside, there := v[name]
		switch {
		case last && op == "add":
			v[name] = value
		case !there:
			return nil, fmt.Errorf("no member %q", name)
		case last:
			delete(v, name)
		default:
			changed, err := applied(inside, steps[1:], op, value)
			v[name] = changed
			return v, err
		}
		return v, nil
	case []any:
		if last && op == "add" && name == "-" {
			return append(v, value), nil
		}
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(v) || !last || op != "remove" {
			return nil, fmt.Errorf("%s at %q of a list", op, name)
		}
		return append(v[:i:i], v[i+1:]...), nil
	}
	return nil, fmt.Errorf("%v has nothing inside", at)
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		t.Fatal(a, b)
	}
	return reflect.DeepEqual(x, y)
}
