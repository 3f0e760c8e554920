package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func want(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Every length around the ends of blocks, where padding goes wrong.
func TestHex(t *testing.T) {
	data := make([]byte, 300)
	for i := range data {
		data[i] = byte(i * 7)
		if got := Hex(data[:i]); got != want(data[:i]) {
			t.Fatalf("%d bytes: %s, want %s", i, got, want(data[:i]))
		}
	}
}

func FuzzHex(f *testing.F) {
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := Hex(data); got != want(data) {
			t.Errorf("%x: %s, want %s", data, got, want(data))
		}
	})
}
