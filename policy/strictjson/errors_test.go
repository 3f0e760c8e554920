package strictjson

import "testing"

// Names that a server chose reach no terminal as they are.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"/home/ann/x": "/home/ann/x", `C:\users\ann`: `C:\users\ann`, "/a b": "/a b", "/ä": "/ä", `a"b`: `a"b`, "": "",
		"/\x1b[2J": `/\x1b[2J`, "/\u009b2J": `/\u009b2J`, "/a\nb": `/a\nb`, "/\xff": `/\xff`, "/\u202ex": `/\u202ex`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}
