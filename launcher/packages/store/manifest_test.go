package store

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/internal/tree"
)

func sampleManifest() string {
	h := header{Identity{"npm", "npm", "@x/y", "1.2.3", "sha512-a+b/c==", "https://registry.example/", "0123abcd"},
		Contents{Lock: "package-lock.json", Bytes: 4096, Packages: 7, Scripts: []string{"esbuild"}, MinAge: time.Hour,
			Installed: time.Unix(1, 2).UTC()}, []string{"npm:@x/y@^1 || 2"}, 4}
	return string(appendManifest(nil, &h, []tree.Entry{
		{Path: "a", Kind: tree.Folder, Mode: 0o555},
		{Path: "a/new\nline \xff%", Kind: tree.File, Mode: 0o444, Size: 3, Sum: [32]byte{1, 2}},
		{Path: "a-b", Kind: tree.Link, Target: "a/b c"},
		{Path: "b", Kind: tree.File, Mode: 0o555},
	}))
}

func TestManifest(t *testing.T) {
	text := sampleManifest()
	h, entries, err := parseManifest(text)
	if err != nil || h.Name != "@x/y" || h.specs[0] != "npm:@x/y@^1 || 2" || h.Scripts[0] != "esbuild" ||
		h.MinAge != time.Hour || len(entries) != 4 || entries[1].Path != "a/new\nline \xff%" || entries[2].Target != "a/b c" {
		t.Fatalf("%+v, %+v, %v", h, entries, err)
	}
	for _, c := range []struct{ name, old, new string }{
		{"another first line", "package 1", "package 2"},
		{"a header line less", "packages 7\n", ""},
		{"a header line twice", "packages 7\n", "packages 7\npackages 7\n"},
		{"a further line", "entries 4\n", "entries 4\nextra x\n"},
		{"lines in another order", "packages 7\nscripts-ran false", "scripts-ran false\npackages 7"},
		{"a number with a zero", "packages 7", "packages 07"},
		{"a number below zero", "packages 7", "packages -7"},
		{"a word for another", "scripts-ran false", "scripts-ran no"},
		{"an entry less", "f 555 0 " + strings.Repeat("0", 64) + " b\n", ""},
		{"more entries than there are", "entries 4", "entries 400000"},
		{"another order", "d 555 a\n", ""},
		{"a path twice", "d 555 a\n", "d 555 a\nd 555 a\n"},
		{"another kind", "d 555 a\n", "x 555 a\n"},
		{"capitals", strings.Repeat("0", 60), strings.Repeat("0", 59) + "A"},
		{"an escape that needs none", "d 555 a\n", "d 555 %61\n"},
		{"an escape in small letters", "%FF", "%ff"},
		{"half an escape", "%FF", "%F"},
		{"a byte that is escaped", "%0A", "\x01"},
		{"two spaces", "d 555 a", "d  555 a"},
		{"no end of the last line", " b\n", " b"},
		{"a further line at the end", " b\n", " b\n\n"},
		{"a line end of Windows", "\n\n", "\r\n\r\n"},
	} {
		bad := strings.Replace(text, c.old, c.new, 1)
		if bad == text {
			t.Fatalf("%s: nothing to replace", c.name)
		}
		if _, _, err := parseManifest(bad); err == nil {
			t.Errorf("%s is taken", c.name)
		}
	}
}

// Whatever parses is written again as it was.
func FuzzManifest(f *testing.F) {
	f.Add(sampleManifest())
	f.Fuzz(func(t *testing.T, text string) {
		h, entries, err := parseManifest(text)
		if err == nil && string(appendManifest(nil, h, entries)) != text {
			t.Errorf("%q is written as another", text)
		}
	})
}

func FuzzRecords(f *testing.F) {
	r := resolution{asked{"npm", "source", []string{"npm:@x/y", "npm:z@1"}}, "npm/@x/y/1.2.3-0123456789ab"}
	x := index{path: r.path, entries: 4, state: [32]byte{1}, manifest: [32]byte{2}}
	f.Add(string(r.text()))
	f.Add(string(x.text()))
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := parseResolution(text); err == nil && (string(r.text()) != text || !isPackagePath(r.path)) {
			t.Errorf("%q", text)
		}
		if x, err := parseIndex(text); err == nil && string(x.text()) != text {
			t.Errorf("%q", text)
		}
	})
}

func TestRecords(t *testing.T) {
	r := resolution{asked{"npm", "source", []string{"npm:@x/y", "npm:z@1 2"}}, "npm/@x/y/1.2.3-0123456789ab"}
	got, err := parseResolution(string(r.text()))
	if err != nil || !reflect.DeepEqual(*got, r) {
		t.Errorf("%+v, %v", got, err)
	}
	x := index{path: r.path, entries: 4, state: [32]byte{1}, manifest: [32]byte{2}}
	again, err := parseIndex(string(x.text()))
	if err != nil || *again != x {
		t.Errorf("%+v, %v", again, err)
	}
	for _, path := range []string{"", "npm", "npm/x", "npm/x/1.0.0", "npm/../x/1.0.0-0123456789ab", "../x/1.0.0-0123456789ab",
		"npm/x/y/1.0.0-0123456789ab", "npm/@/x/1.0.0-0123456789ab", "npm/@x/../1.0.0-0123456789ab", "npm/x/..-0123456789ab",
		"npm/x//1.0.0-0123456789ab", "/npm/x/1.0.0-0123456789ab", "npm/x/1.0.0-0123456789aB", ".specs/x/1.0.0-0123456789ab"} {
		r.path = path
		if _, err := parseResolution(string(r.text())); err == nil {
			t.Errorf("path %q is taken", path)
		}
	}
}

func TestFolderOf(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"server", "npm/server"}, {"@x/y", "npm/@x/y"}, {"example.com/a/cmd/b", "npm/example.com,a,cmd,b"},
		{"@x/y/z", "npm/@x/y,z"}, {"under_score-1.js", "npm/under_score-1.js"},
		{"", ""}, {".", ""}, {"..", ""}, {"../x", ""}, {"@x/..", ""}, {"@../x", ""}, {"@/x", ""}, {"@x/", ""}, {"a//b", ""},
		{"/a", ""}, {"a/", ""}, {"a/../b", ""}, {"a/.b", ""}, {".hidden", ""}, {"a,b", ""}, {"a\\b", ""}, {"a b", ""},
		{"a\nb", ""}, {"a\x00b", ""}, {"é", ""}, {"con:", ""}, {"a.", ""}, {strings.Repeat("a", 250), ""}, {"@x", ""},
	} {
		got, err := folderOf("npm", c.name)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	for _, manager := range []string{"", "..", ".stages", "NPM", "a/b"} {
		if _, err := folderOf(manager, "x"); err == nil {
			t.Errorf("manager %q is taken", manager)
		}
	}
}
