package platform

import (
	"os"
	"testing"
	"time"
)

// On a busy machine the moment may be over before the first try: what the pipe has room for is written all the same, and
// a pipe without room is given up.
func TestWriteUntil(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	past := time.Now().Add(-time.Minute)
	for range 20 {
		if err := WriteUntil(int(w.Fd()), []byte("late"), past); err != nil {
			t.Fatal(err)
		}
	}
	if WriteUntil(int(w.Fd()), make([]byte, 1<<20), past) == nil {
		t.Error("a megabyte was written, and nobody reads")
	}
}
