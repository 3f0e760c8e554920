package strictjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func write(w *Writer) {
	w.Object()
	w.Name("empty")
	w.Array()
	w.EndArray()
	w.Name("none")
	w.Object()
	w.EndObject()
	w.Name("list")
	w.Array()
	w.Int(-1)
	w.Bool(true)
	w.Object()
	w.Name("x")
	w.Raw([]byte("1.5"))
	w.EndObject()
	w.Strings([]string{"a", `"b\`})
	w.EndArray()
	w.Name("last\n")
	w.String("z")
	w.EndObject()
}

func TestWriter(t *testing.T) {
	line := Writer{Buf: []byte("x")}
	write(&line)
	const want = `x{"empty":[],"none":{},"list":[-1,true,{"x":1.5},["a","\"b\\"]],"last\n":"z"}`
	if got := string(line.Buf); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	indented := Writer{Indent: true}
	write(&indented)
	var theirs bytes.Buffer
	if err := json.Indent(&theirs, []byte(want[1:]), "", "  "); err != nil {
		t.Fatal(err)
	}
	if got := string(indented.Buf); got != theirs.String() {
		t.Errorf("got  %s\nwant %s", got, &theirs)
	}
}

// A string comes back as it was from both readers, and takes one line.
func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\x00\x1f\x7f\n\té😀\u2028")
	f.Add(`\u0000`)
	f.Add("\xff\xed\xa0\x80")
	f.Fuzz(func(t *testing.T, s string) {
		b := AppendString(nil, s)
		want := string([]rune(s)) // what is not UTF-8 becomes U+FFFD
		var theirs string
		if err := json.Unmarshal(b, &theirs); err != nil || theirs != want {
			t.Fatalf("%s: encoding/json reads %q, %v", b, theirs, err)
		}
		for _, c := range b {
			if c < ' ' || c == 0x7f {
				t.Fatalf("%q has a control character", b)
			}
		}
		if v, err := Parse(b); strings.ContainsRune(s, 0) != (err != nil) || err == nil && v.Text != want || !utf8.Valid(b) {
			t.Fatalf("%s: read as %+v, %v", b, v, err)
		}
	})
}
