package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"testing"
	"time"
)

// An archive depends on its files and its time alone: not on their order, and not on where or when it is made.
func TestPack(t *testing.T) {
	made := time.Date(2026, 11, 22, 9, 0, 1, 0, time.FixedZone("", 3600))
	files := []file{{"b", "", []byte("two"), 0o755}, {"a", "", []byte("one"), 0o644}}
	backwards := slices.Clone(files)
	slices.Reverse(backwards)
	for name, pack := range map[string]func(string, time.Time, []file) ([]byte, error){"tar": packTar, "zip": packZip} {
		first, err := pack("f", made, files)
		second, again := pack("f", made.UTC(), backwards)
		if err != nil || again != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: %v, %v, or not the same bytes", name, err, again)
		}
	}

	packed, _ := packTar("f", made, files)
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil || plain.Name != "" || !plain.ModTime.IsZero() {
		t.Fatalf("%+v, %v", plain.Header, err)
	}
	archive := tar.NewReader(plain)
	for _, want := range []file{files[1], files[0]} {
		h, err := archive.Next()
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(archive)
		if h.Name != "f/"+want.name || h.Mode != int64(want.mode) || h.Uid != 0 || h.Uname != "root" || !h.ModTime.Equal(made) ||
			!bytes.Equal(data, want.data) {
			t.Errorf("%+v with %q", h, data)
		}
	}

	packed, _ = packZip("f", made, files)
	zipped, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(zipped.File) != 2 {
		t.Fatal(err)
	}
	if f := zipped.File[1]; f.Name != "f/b" || f.Mode() != 0o755 || !f.Modified.Equal(made) {
		t.Errorf("%+v", f.FileHeader)
	}
}
