package schema

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// unseen are the errors of testdata/invalid, each by its document and pointer, that the schema does not see: they are not
// in what a JSON library hands to a validator, or would take a second copy of the parser to find.
var unseen = []string{
	"domains-ports /network/allowedDomains",
	"domains /network/allowedDomains/4",
	"domains /network/allowedDomains/10",
	"domains /network/allowedDomains/17",
	"domains /network/allowedDomains/18",
	"domains /network/allowedDomains/21",
	"domains /network/allowedDomains/25",
	"domains /network/deniedDomains/6",
	"domains /network/deniedDomains/7",
	"domains /network/deniedDomains/8",
	"domains /network/deniedDomains/9",
	"domains /network/deniedDomains/10",
	"domains /network/deniedDomains/11",
	"domains /network/deniedDomains/14",
	"domains /network/deniedDomains/18",
	"domains /network/deniedDomains/19",
	"domains /network/deniedDomains/22",
	"duplicate-escaped /limits/pids",
	"duplicate-variable /env/A~1B~0C",
	"duplicate-version /version",
	"duplicate /level",
	"least-one /filesystem/tmpSize",
	"least-start /limits/addressSpace",
	"least-units /filesystem/tmpSize",
	"least-units /limits/memory",
	"grants /filesystem/allowWrite/2",
	"grants /filesystem/allowWrite/3",
	"not-utf8 /cwd",
	"publish /network/publish/2",
	"quantities-long /limits/addressSpace",
	"quantities-long /limits/timeout",
	"quantities /limits/fileSize",
	"quantities /limits/openFiles",
	"state-privileged /state",
	"min-privileged /minConfinement",
	"surrogate /filesystem/allowRead/1",
	"user-large /user",
	"user-no-change /user",
}

func glob(t testing.TB, pattern string, least int) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/" + pattern)
	if err != nil || len(files) < least {
		t.Fatalf("%s: %d documents, %v", pattern, len(files), err)
	}
	return files
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func resolved(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(JSON(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What Parse accepts is valid by the schema.
func TestValid(t *testing.T) {
	schema := resolved(t)
	for _, file := range append(glob(t, "valid/*.json", 10), glob(t, "valid/*.golden", 10)...) {
		var instance any
		err := json.Unmarshal(read(t, file), &instance)
		if err == nil {
			err = schema.Validate(instance)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// What Parse refuses is invalid by the schema, each error in a document of its own, but for those above.
func TestInvalid(t *testing.T) {
	schema := resolved(t)
	left := map[string]bool{}
	for _, name := range unseen {
		left[name] = true
	}
	tried := 0
	for _, file := range glob(t, "invalid/*.json", 50) {
		doc := read(t, file)
		var whole any
		if json.Unmarshal(doc, &whole) != nil {
			continue // no JSON at all
		}
		_, err := policy.Parse(doc)
		var errs policy.Errors
		if !errors.As(err, &errs) {
			t.Fatalf("%s: %v", file, err)
		}
		for _, e := range errs {
			tried++
			name := strings.TrimSuffix(filepath.Base(file), ".json") + " " + e.Pointer
			instance := alone(whole, e.Pointer)
			if err := schema.Validate(instance); (err == nil) != left[name] {
				t.Errorf("%s: the schema says %v of %v, the parser %s", name, err, instance, e.Msg)
			}
			delete(left, name)
		}
	}
	if len(left) > 0 || tried < 100 {
		t.Errorf("%d errors tried, not among them %q", tried, slices.Sorted(maps.Keys(left)))
	}
}

// alone cuts a document down to what a pointer leads to, in a document that is right otherwise.
func alone(whole any, pointer string) any {
	steps := strings.Split(pointer, "/")[1:]
	cut := follow(whole, steps)
	if m, ok := cut.(map[string]any); ok && len(steps) > 0 {
		if steps[0] != "version" {
			m["version"] = 1.0
		}
		if level := whole.(map[string]any)["level"]; level == "network" || level == "privileged" {
			m["level"] = level
		}
	}
	return cut
}

func follow(v any, steps []string) any {
	if len(steps) == 0 {
		return v
	}
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[0])
	switch v := v.(type) {
	case map[string]any:
		if inner, ok := v[name]; ok {
			return map[string]any{name: follow(inner, steps[1:])}
		}
		return map[string]any{}
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i < len(v) {
			return []any{follow(v[i], steps[1:])}
		}
	}
	return v
}

// The schema is no stricter than Parse.
func FuzzSchema(f *testing.F) {
	schema := resolved(f)
	for _, file := range append(glob(f, "valid/*", 20), glob(f, "invalid/*.json", 50)...) {
		f.Add(read(f, file))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		p, err := policy.Parse(doc)
		if err != nil {
			return
		}
		for _, doc := range [][]byte{doc, p.AppendJSON(nil), p.Effective(policy.Run).AppendJSON(nil)} {
			var instance any
			if err := json.Unmarshal(doc, &instance); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(instance); err != nil {
				t.Fatalf("%s\n%v", doc, err)
			}
		}
	})
}
