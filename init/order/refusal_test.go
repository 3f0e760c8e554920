package order

import (
	"errors"
	"io/fs"
	"testing"
)

func TestRefusal(t *testing.T) {
	r := &Refusal{Layer: Root, Op: "open", Path: "/srv", Err: fs.ErrNotExist}
	if r.Error() != "root: open /srv: file does not exist" || !errors.Is(r, fs.ErrNotExist) {
		t.Error(r)
	}
	if r.Path = ""; r.Error() != "root: open: file does not exist" {
		t.Error(r)
	}
}
