package text

import (
	"encoding/json"
	"testing"
)

// Names that a server chose reach no terminal as they are.
func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"/home/ann/x": "/home/ann/x", `C:\users\ann`: `C:\users\ann`, "/a b": "/a b", "/ä": "/ä", `a"b`: `a"b`, "": "",
		"/\x1b[2J": `/\x1b[2J`, "/\u009b2J": `/\u009b2J`, "/a\nb": `/a\nb`, "/\xff": `/\xff`, "/\u202ex": `/\u202ex`,
	} {
		if got := Printable(s); got != want {
			t.Errorf("%q: %s, not %s", s, got, want)
		}
	}
}

// What a person reads of a word is short and hides a value.
func TestShown(t *testing.T) {
	long := "0123456789012345678901234567890123456789012345678901234567890123456789012345678é9"
	for _, c := range []struct{ got, want string }{
		{Quote("TOKEN=s3cret"), `"TOKEN=…"`}, {Quote("a="), `"a="`}, {Quote("a\nb"), `"a\nb"`}, {Word("a=b"), `"a=b"`},
		{Word(long), `"` + long[:79] + `…"`},
		{Short("abcdef", 6, Begin), "abcdef"}, {Short("abcdef", 5, Begin), "abcd…"}, {Short("abcdef", 5, End), "…cdef"}, {Short("abcdef", 5, Ends), "ab…ef"},
		{Short("\x1b[2J", 9, End), `\x1b[2J`}, {Short("üäöß", 3, Begin), "üä…"},
		{Count(1, "server"), "1 server"}, {Count(0, "server"), "0 servers"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// JSON stays the same JSON.
func TestLines(t *testing.T) {
	const value = "a\u202eb\U000e0001\u009b\t"
	b, err := json.MarshalIndent(map[string]string{"x": value}, "", " ")
	var back map[string]string
	if shown := Lines(string(b)); err != nil || json.Unmarshal([]byte(shown), &back) != nil || back["x"] != value || Printable(shown[4:len(shown)-2]) != shown[4:len(shown)-2] {
		t.Errorf("%q: %q, %v", shown, back, err)
	}
}
