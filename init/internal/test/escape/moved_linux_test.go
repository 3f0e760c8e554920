package escape_test

import (
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// A folder in whose tree the server stands leads up to where the host has moved it: the kernel sees that it is no
// longer below the grant (path_connected), and refuses the way up.
func movedFolder(t *testing.T, l level) {
	s := stage(t)
	const act = "moved S/write/m ../key"
	for _, way := range []struct {
		name string
		do   func() attempt.Result
		ok   bool
	}{
		{"inside", func() attempt.Result {
			command := append([]string{testbed.Self(t, adversaryName)}, strings.Fields(s.put(act))...)
			out, errs, _ := launch(t, s, l, command...)
			all := results(t, out)
			if len(all) != 1 {
				t.Fatalf("%s%s", out, errs)
			}
			return all[0]
		}, false},
		{"outside", func() attempt.Result { return s.outside(t, testbed.Self(t, adversaryName), false, s.put(act)) }, true},
	} {
		at, to := s.dir+"/write/m", s.dir+"/home/m"
		if err := os.Mkdir(at, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(at, 0o777); err != nil {
			t.Fatal(err)
		}
		moved := make(chan error, 1)
		go func() {
			testbed.Comes(func() bool { _, err := os.Lstat(at + "/ready"); return err == nil })
			moved <- os.Rename(at, to)
		}()
		got := way.do()
		if err := <-moved; err != nil {
			t.Fatal(err)
		}
		if got.OK != way.ok || !got.OK && got.Errno != "ENOENT" && got.Errno != "EACCES" {
			t.Errorf("%s: %+v", way.name, got)
		}
		if err := os.RemoveAll(to); err != nil {
			t.Fatal(err)
		}
	}
}
