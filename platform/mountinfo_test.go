package platform

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseMountinfo(t *testing.T) {
	const table = `24 30 0:22 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw,hidepid=invisible
30 1 254:1 /sub / ro,relatime - ext4 /dev/vda rw,discard
31 30 0:40 /a\040b\134c /mnt/x\011y\012z\134040 rw shared:1 master:2 propagate_from:3 - tmpfs  rw
32 30 0:41 / /empty rw - fuse.x # rw
`
	want := []Mount{
		{24, 30, "0:22", "/", "/proc", "rw,nosuid,nodev,noexec,relatime", "shared:13", "proc", "rw,hidepid=invisible"},
		{30, 1, "254:1", "/sub", "/", "ro,relatime", "", "ext4", "rw,discard"},
		{31, 30, "0:40", `/a b\c`, "/mnt/x\ty\nz\\040", "rw", "shared:1 master:2 propagate_from:3", "tmpfs", "rw"},
		{32, 30, "0:41", "/", "/empty", "rw", "", "fuse.x", "rw"},
	}
	got, err := ParseMountinfo([]byte(table))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if all, err := ParseMountinfo(nil); err != nil || len(all) != 0 {
		t.Errorf("an empty table: %v, %v", all, err)
	}
	for _, line := range []string{
		table[:len(table)-1], "\n", "1 2 3:4 / /x rw\n", "1 2 3:4 / /x - ext4 a rw\n", "1 2 3:4 /  /x rw - ext4 a rw\n",
		"1 2 3:4 / /x rw - \n", "1 2 3:4 / /x rw -\n", "x - y\n", "x 2 3:4 / /x rw - ext4 a rw\n", "1 -2 3:4 / /x rw - ext4 a rw\n", table + "half",
	} {
		if all, err := ParseMountinfo([]byte(line)); !errors.Is(err, ErrMountinfo) {
			t.Errorf("%q is %+v, %v", line, all, err)
		}
	}
}

func TestMountOptions(t *testing.T) {
	m := Mount{Options: "ro,nosuid,relatime", Super: "rw,size=4096k,mode=755"}
	for word, want := range map[string]bool{"ro": true, "nosuid": true, "relatime": true, "rw": false, "suid": false, "no": false, "ro,nosuid": false} {
		if m.Has(word) != want {
			t.Errorf("Has(%q) is %v", word, !want)
		}
	}
	if !m.HasSuper("rw") || !m.HasSuper("size=4096k") || m.HasSuper("size") || m.HasSuper("ro") {
		t.Error("HasSuper")
	}
}

// escape is what the kernel does to a path; fs/proc_namespace.c.
func escape(s string) string {
	return strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`).Replace(s)
}

// No path is misread: what the kernel writes comes back, whatever its bytes.
func FuzzMountinfo(f *testing.F) {
	f.Add("/", "/mnt/a b", "rw", "", "ext4", "rw")
	f.Add(`/\040`, "/\n\t\\ -", "ro,nosuid", "shared:1", "tmpfs", "rw,mode=0755")
	f.Add("/a - b", "/x - y z", "rw", "master:2", "fuse.sshfs", "rw")
	f.Fuzz(func(t *testing.T, root, path, options, propagation, typ, super string) {
		word := func(s string) bool { return s != "" && !strings.ContainsAny(s, " \t\n") }
		if root == "" || path == "" || !word(options) || !word(typ) || strings.ContainsAny(super+propagation, " \t\n") {
			return
		}
		want := Mount{1, 2, "3:4", root, path, options, propagation, typ, super}
		sep := " - "
		if propagation != "" {
			sep = " " + propagation + sep
		}
		if slices.Contains([]string{root, path, options, propagation}, "-") {
			return // the mark itself, which no kernel writes there: paths begin with a slash, roots so or as "net:["
		}
		line := fmt.Sprintf("1 2 3:4 %s %s %s%s%s source %s\n", escape(root), escape(path), options, sep, typ, super)
		got, err := ParseMountinfo([]byte(line + line))
		if err != nil || len(got) != 2 || got[0] != want || got[1] != want {
			t.Fatalf("%q is %+v, %v, want %+v", line, got, err, want)
		}
	})
}

// Nothing panics, and an accepted table has as many mounts as lines, each with a place and a type.
func FuzzMountinfoBytes(f *testing.F) {
	f.Add([]byte("24 30 0:22 / /proc rw shared:13 - proc proc rw\n"))
	f.Add([]byte("1 2 3:4 / / rw - x y\\"))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := ParseMountinfo(b)
		if err != nil {
			return
		}
		if len(all) != strings.Count(string(b), "\n") {
			t.Fatalf("%d mounts in %q", len(all), b)
		}
		for _, m := range all {
			if m.Path == "" || m.Root == "" || m.Type == "" || m.Options == "" {
				t.Fatalf("%q: %+v", b, m)
			}
		}
	})
}
