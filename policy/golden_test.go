package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write the goldens in testdata instead of comparing with them")

// documents calls f with each document of a folder in testdata.
func documents(t *testing.T, folder string, f func(t *testing.T, doc []byte, golden string)) {
	files, err := filepath.Glob("testdata/" + folder + "/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d documents in testdata/%s: %v", len(files), folder, err)
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, ".json")
		t.Run(filepath.Base(base), func(t *testing.T) {
			doc, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f(t, doc, base+".golden")
		})
	}
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%swant\n%s", golden, got, want)
	}
}

// The golden of a valid document is what mcp-sandbox-init makes of it on Linux.
func TestValid(t *testing.T) {
	documents(t, "valid", func(t *testing.T, doc []byte, golden string) {
		p, err := Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, p)
		if err := p.Validate(); err != nil {
			t.Errorf("parsed, and not valid: %v", err)
		}
		e := p.effective(Init, "linux")
		roundTrip(t, e)
		if twice := e.effective(Init, "linux"); !reflect.DeepEqual(twice, e) {
			t.Errorf("effective twice: %+v", twice)
		}
		compare(t, golden, string(e.AppendJSON(nil)))
	})
}

// roundTrip demands that a valid policy is written and read as itself, in the form json.Indent has too.
func roundTrip(t *testing.T, p Policy) {
	t.Helper()
	doc := p.AppendJSON([]byte("before"))
	doc, ok := bytes.CutPrefix(doc, []byte("before"))
	if !ok {
		t.Fatal("AppendJSON does not append")
	}
	again, err := Parse(doc)
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Fatalf("%v\n%s\nread as %+v\nwas %+v", err, doc, again, p)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, doc, "", "  "); err != nil || indented.String() != string(doc) {
		t.Errorf("%v: json.Indent makes\n%s\nof\n%s", err, &indented, doc)
	}
}

// The golden of an invalid document is its errors.
func TestInvalid(t *testing.T) {
	documents(t, "invalid", func(t *testing.T, doc []byte, golden string) {
		p, err := Parse(doc)
		var errs Errors
		if !errors.As(err, &errs) || len(errs) == 0 {
			t.Fatalf("error %v is no Errors", err)
		}
		if !reflect.DeepEqual(p, Policy{}) {
			t.Errorf("an invalid document gives %+v", p)
		}
		for _, e := range errs {
			if strings.ContainsFunc(e.Error(), unicode.IsControl) || e.Msg == "" || e.Pointer != "" && e.Pointer[0] != '/' {
				t.Errorf("%+v is no line with a pointer", e)
			}
		}
		compare(t, golden, err.Error()+"\n")
	})
}
