package escape_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// replacedFile: the host saves a denied file as editors do, by a new one under its name, while the server runs. The
// cover lay on the old one. Of the ways to save, and of servers that wait for the moment, init/internal/supervise/shim has
// the tests.
func replacedFile(t *testing.T, l level) {
	s := stage(t)
	secret := s.dir + "/write/a/b/secret"
	var out bytes.Buffer
	cmd := s.acting(t, l, "replaced S/write/a/b/secret")
	cmd.Stdin, cmd.Stdout = session(t), &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "the server", func() bool { _, err := os.Lstat(secret + ".ready"); return err == nil })
	covered := func() bool { return mountedInside(cmd.Process.Pid, secret) }
	if !covered() {
		t.Error("the denied file is not covered to begin with")
	}
	err := errors.Join(os.WriteFile(secret+".new", []byte("another key\n"), 0o666), os.Chmod(secret+".new", 0o666), os.Rename(secret+".new", secret))
	if err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "the cover", covered)
	if err := os.WriteFile(secret+".done", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if all := results(t, out.String()); err != nil || len(all) != 1 || all[0].OK || all[0].Errno != "EACCES" {
		t.Errorf("inside: %+v, %v", all, err)
	}
	if r := s.outside(t, testbed.Self(t, adversaryName), false, "replaced "+secret); r.Detail != "another key\n" {
		t.Errorf("outside: %+v", r)
	}
}
