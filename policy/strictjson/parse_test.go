package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	root, err := Parse([]byte(` {"a": [1, -0.5e+3, true, false, null, "x\u0041\ud83d\ude00\/"], "b/~": {}, "": []}` + "\r\n\t"))
	if err != nil {
		t.Fatal(err)
	}
	want := &Value{Kind: Object, Items: []Value{
		{Name: "a", Kind: Array, Items: []Value{
			{Kind: Number, Text: "1"}, {Kind: Number, Text: "-0.5e+3"}, {Kind: Bool, Text: "true"}, {Kind: Bool, Text: "false"},
			{Kind: Null, Text: "null"}, {Kind: String, Text: "xA😀/"},
		}},
		{Name: "b/~", Kind: Object, Items: []Value{}},
		{Name: "", Kind: Array, Items: []Value{}},
	}}
	if !reflect.DeepEqual(root, want) {
		t.Errorf("got %+v\nwant %+v", root, want)
	}
}

func TestParseErrors(t *testing.T) {
	many := make([]string, 40) // more than are compared one by one
	for i := range many {
		many[i] = strconv.Quote("k"+strconv.Itoa(i)) + ":0"
	}
	for _, test := range []struct{ doc, want string }{
		{"", "the document is empty"},
		{" \t\r\n", "the document is empty"},
		{"\ufeff{}", "the document begins with a byte order mark (line 1, column 1)"},
		{"{}{}", "data after the end of the document (line 1, column 3)"},
		{"[1]\n\n x", "data after the end of the document (line 3, column 2)"},
		{`"a\u0000b"`, "U+0000 in a string"},
		{"\"a\x00b\"", "a control character in a string must be escaped (line 1, column 3)"},
		{"\"\xc3\x28\"", "the document is not UTF-8 (line 1, column 2)"},
		{"\"\xed\xa0\x80\"", "the document is not UTF-8 (line 1, column 2)"}, // a surrogate in UTF-8
		{"\"\\n\xff\"", "the document is not UTF-8 (line 1, column 4)"},
		{"\xff", "expected a value, found '�' (line 1, column 1)"},
		{`["\ud800"]`, "/0: half of a surrogate pair (line 1, column 3)"},
		{`["\ud800x"]`, "/0: half of a surrogate pair (line 1, column 3)"},
		{`["\udc00\ud800"]`, "/0: half of a surrogate pair (line 1, column 3)"},
		{`["\ud800\u0041"]`, "/0: half of a surrogate pair (line 1, column 3)"},
		{`["\u12g4"]`, `/0: \u needs four hexadecimal digits (line 1, column 3)`},
		{`["\u12`, `/0: \u needs four hexadecimal digits (line 1, column 3)`},
		{`["\`, `/0: the document ends where the end of a string should be (line 1, column 4)`},
		{`["\x41"]`, "/0: an escape that JSON does not have (line 1, column 3)"},
		{`{"a":{"b~/":[0,tru]}}`, "/a/b~0~1/1: expected a value, found 't' (line 1, column 16)"},
		{`{"a":1,}`, "expected a key in double quotes, found '}' (line 1, column 8)"},
		{`{"a" 1}`, `expected ":" after the key, found '1' (line 1, column 6)`},
		{`{"a":1 "b":2}`, `expected "," or "}", found '"' (line 1, column 8)`},
		{`[1,]`, "/1: expected a value, found ']' (line 1, column 4)"},
		{`[1 2]`, `expected "," or "]", found '2' (line 1, column 4)`},
		{`[`, "/0: the document ends where a value should be (line 1, column 2)"},
		{`{`, "the document ends where a key in double quotes should be (line 1, column 2)"},
		{`[01]`, "/0: this is no number (line 1, column 4)"},
		{`-`, "this is no number (line 1, column 2)"},
		{`[1.]`, "/0: this is no number (line 1, column 4)"},
		{`[1e+]`, "/0: this is no number (line 1, column 5)"},
		{`+1`, "expected a value, found '+' (line 1, column 1)"},
		{`.5`, "expected a value, found '.' (line 1, column 1)"},
		{`NaN`, "expected a value, found 'N' (line 1, column 1)"},
		{`truex`, "data after the end of the document (line 1, column 5)"},
		{`{"a":1,"b":{"c":1,"\u0063":2,"c":3},"a":2}`, "/b/c: this key occurs twice\n/b/c: this key occurs twice\n/a: this key occurs twice"},
		{"[{" + strings.Join(append(many, `"k7":1`), ",") + "}]", "/0/k7: this key occurs twice"},
	} {
		_, err := Parse([]byte(test.doc))
		var errs Errors
		if !errors.As(err, &errs) || err.Error() != test.want {
			t.Errorf("%q: got  %v\nwant %s", test.doc, err, test.want)
		}
	}
}

func TestDepth(t *testing.T) {
	if _, err := Parse([]byte(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth))); err != nil {
		t.Error(err)
	}
	if _, err := Parse([]byte(strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1))); err == nil {
		t.Error("one level too many is read")
	}
	// Depth is not length: arrays side by side do not add up.
	if _, err := Parse([]byte("[" + strings.Repeat("[[]],", 1000) + "[]]")); err != nil {
		t.Error(err)
	}
}

// Errors are bounded, and the last one says that there were more.
func TestManyErrors(t *testing.T) {
	_, err := Parse([]byte("{" + strings.Repeat(`"a":1,`, 10_000) + `"a":1}`))
	var errs Errors
	if !errors.As(err, &errs) || len(errs) != MaxErrors || errs[MaxErrors-1].Msg != "there are more errors than these" {
		t.Errorf("%d errors, the last of them %v", len(errs), errs[len(errs)-1])
	}
}

func TestErr(t *testing.T) {
	if err := (Errors)(nil).Err(); err != nil {
		t.Errorf("no errors are the error %v", err)
	}
	if err := (Errors{{"", "a"}, {"/b\n", "c"}}).Err(); err == nil || err.Error() != "a\n/b\\n: c" {
		t.Errorf("got %q", err)
	}
}

// What is accepted here encoding/json accepts too, and reads the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"version": 1, "a": [true, null, "\u00e9\ud83d\ude00"], "b": {"c": -1.5e-7}}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `[1,]`, `{"\u0000":0}`, "\ufeff1",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, err := Parse(doc)
		if err != nil {
			var errs Errors
			if !errors.As(err, &errs) || len(errs) == 0 || len(errs) > MaxErrors {
				t.Fatalf("error %v", err)
			}
			return
		}
		d := json.NewDecoder(bytes.NewReader(doc))
		d.UseNumber()
		var theirs any
		if err := d.Decode(&theirs); err != nil {
			t.Fatalf("encoding/json: %v", err)
		}
		if ours := plain(v); !reflect.DeepEqual(ours, theirs) {
			t.Fatalf("read as %#v\nwant %#v", ours, theirs)
		}
	})
}

// plain is a Value as encoding/json would have it.
func plain(v *Value) any {
	switch v.Kind {
	case Bool:
		return v.Text == "true"
	case Number:
		return json.Number(v.Text)
	case String:
		return v.Text
	case Array:
		list := make([]any, len(v.Items))
		for i := range v.Items {
			list[i] = plain(&v.Items[i])
		}
		return list
	case Object:
		m := make(map[string]any, len(v.Items))
		for i := range v.Items {
			m[v.Items[i].Name] = plain(&v.Items[i])
		}
		return m
	}
	return nil
}

// A document of the longest length that asks for the most work: 100,000 keys to tell apart, or that many arrays.
func BenchmarkParseLargest(b *testing.B) {
	var keys bytes.Buffer
	for i := 0; keys.Len() < 1<<20-20; i++ {
		keys.WriteString(`"` + strconv.Itoa(i) + `":0,`)
	}
	for name, doc := range map[string]string{
		"keys":   "{" + keys.String() + `"":0}`,
		"arrays": "[" + strings.Repeat("[],", 1<<20/3-1) + "[]]",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if _, err := Parse([]byte(doc)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
