package shim_test

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

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
				if err := os.Mkdir(s.Path(folder), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if link && name != "" {
				os.RemoveAll(s.Path(name + ".other"))
				if err := os.Symlink(s.Path(name+".other"), s.Path(name+".other")); err != nil {
					t.Fatal(err)
				}
			}
			l := s.Launch(altered.Weaker(doc, "reduced"), "mark")
			l.Command = []string{"/bin/echo", "ran"}
			if name != "" {
				l.Swap = s.Path(name)
			}
			o := altered.Run(t, l)
			want := "refused"
			if name == "" { // the control
				want = "exited"
			}
			if o.Event() != want || (o.Stdout != "") != (name == "") {
				t.Errorf("%q swapped, link %v: code %d, %q, %s\n%s", name, link, o.Code, o.Stdout, o.Event(), o.Stderr)
			}
		}
	}
}
