package main

import "testing"

// Names that a server chose reach no terminal as they are.
func TestShown(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ann/x": "/home/ann/x", `C:\users\ann`: `C:\users\ann`, "/a b": "/a b", "/ä": "/ä",
		"/\x1b[2J": `"/\x1b[2J"`, "/a\nb": `"/a\nb"`, "/\xff": `"/\xff"`, "/\u202ex": `"/\u202ex"`,
	} {
		if got := printable(path); got != want {
			t.Errorf("%q: %s, not %s", path, got, want)
		}
	}
	for bytes, want := range map[int64]string{0: "0B", 4096: "4096B", 16 << 10: "16K", 5 << 30: "5120M"} {
		if got := sizeText(bytes); got != want {
			t.Errorf("%d: %s, not %s", bytes, got, want)
		}
	}
}
