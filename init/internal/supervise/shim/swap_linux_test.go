package shim_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// swap exchanges a path with its neighbour that has ".other" behind its name.
func swap(path string) {
	if unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, path+".other", unix.RENAME_EXCHANGE) != nil {
		os.Exit(exitAnother)
	}
}

// TestSwappedIsRefused: in reduced what was looked at has to be what the rule is for, whatever kind of grant it is and
// whatever takes its place: another file, another folder, a link to what was looked at.
func TestSwappedIsRefused(t *testing.T) {
	const doc = `{"version":1,"filesystem":{"allowRead":["STAGE/read","STAGE/file"],"allowWrite":["STAGE/write","STAGE/home/file"]}}`
	for _, name := range []string{"", "read", "file", "write", "home/file"} {
		for _, link := range []bool{false, true} {
			s := build(t, "/var/tmp")
			for _, file := range []string{"file.other", "home/file", "home/file.other"} {
				s.fresh(t, file)
			}
			for _, folder := range []string{"read.other", "write.other"} {
				if err := os.Mkdir(s.path(folder), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if link && name != "" {
				os.RemoveAll(s.path(name + ".other"))
				if err := os.Symlink(s.path(name+".other"), s.path(name+".other")); err != nil {
					t.Fatal(err)
				}
			}
			l := s.launch(weaker(doc, "reduced"), "mark")
			l.Command = []string{"/bin/echo", "ran"}
			if name != "" {
				l.Swap = s.path(name)
			}
			o := run(t, l)
			want := "refused"
			if name == "" { // the control
				want = "exited"
			}
			if o.event() != want || (o.stdout != "") != (name == "") {
				t.Errorf("%q swapped, link %v: code %d, %q, %s\n%s", name, link, o.code, o.stdout, o.event(), o.stderr)
			}
		}
	}
}
