//go:build darwin || linux

package state

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A place is made where there is none; of what is there only an empty folder or file of the server's will do.
func TestMake(t *testing.T) {
	_, me := stage(t)
	outside := t.TempDir()
	granted := outside + "/granted"
	os.WriteFile(granted, nil, 0o600)
	places := []Place{{Name: "n", Folder: true, Inner: true}, {Name: "n/deep", Folder: true}, {Name: "f"},
		{Name: "l", Target: "n"}}
	for _, c := range []struct {
		name string
		left func(path string)
		at   string // of the refused place; "": none
	}{
		{"nothing", func(string) {}, ""},
		{"what was made before", nil, ""},
		{"a closed folder on the way", func(p string) { os.MkdirAll(p+"/n/deep", 0o700); os.Chmod(p+"/n", 0) }, ""},
		{"a closed folder", func(p string) { os.MkdirAll(p+"/n/deep", 0o700); unix.Chmod(p+"/n/deep", 0o6000) }, ""},
		{"files on the way", func(p string) { os.Mkdir(p+"/n", 0o700); os.WriteFile(p+"/n/own", nil, 0o600) }, ""},
		{"files in a place", func(p string) { os.MkdirAll(p+"/n/deep/own", 0o700) }, "n/deep"},
		{"a link on the way", func(p string) { os.Symlink(outside, p+"/n") }, "n"},
		{"a link in a place", func(p string) { os.Mkdir(p+"/n", 0o700); os.Symlink("/etc", p+"/n/deep") }, "n/deep"},
		{"a file for a folder", func(p string) { os.WriteFile(p+"/n", nil, 0o600) }, "n"},
		{"a fifo for a folder", func(p string) { unix.Mkfifo(p+"/n", 0o600) }, "n"},
		{"a folder for a file", func(p string) { os.Mkdir(p+"/f", 0o700) }, "f"},
		{"a link for a file", func(p string) { os.Symlink(granted, p+"/f") }, "f"},
		{"a hard link for a file", func(p string) { os.Link(granted, p+"/f") }, "f"},
		{"a fifo for a file", func(p string) { unix.Mkfifo(p+"/f", 0o600) }, "f"},
		{"a file with content", func(p string) { os.WriteFile(p+"/f", []byte("x"), 0o600) }, "f"},
		{"another link", func(p string) { os.Symlink("/etc", p+"/l") }, "l"},
		{"a longer link", func(p string) { os.Symlink("n/deep", p+"/l") }, "l"},
		{"an empty file for a link", func(p string) { os.WriteFile(p+"/l", nil, 0o600) }, ""},
		{"a file for a link", func(p string) { os.WriteFile(p+"/l", []byte("x"), 0o600) }, "l"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Open("acme", me)
			if err != nil {
				t.Fatal(err)
			}
			if c.left == nil {
				f.Make(me, places)
			} else {
				c.left(f.Path)
			}
			err = f.Make(me, places)
			p, refused := errors.AsType[*os.PathError](err)
			if refused != (c.at != "") || refused && p.Path != f.Path+"/"+c.at {
				t.Errorf("%v", err)
			}
			if names, _ := os.ReadDir(outside); len(names) != 1 {
				t.Errorf("made outside: %v", names)
			}
			f.Close()
			if err := Remove("acme"); err != nil {
				t.Error(err)
			}
		})
	}
}
