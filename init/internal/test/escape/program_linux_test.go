package escape_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A server writes to the file that it was started from, once no process executes that file. As long as one does,
// open(2) is ETXTBSY for everybody, which would prove nothing.
func ownProgram(t *testing.T, l level) {
	s := stage(t)
	shell, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(s.dir, "read/shell")
	if err := os.WriteFile(name, shell, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o777); err != nil {
		t.Fatal(err)
	}
	server := []string{name, "-c", `exec /bin/sh -c 'echo more >>"$0" && echo written' ` + name}
	if out, _, code := launch(t, s, l, server...); code == 0 || out != "" {
		t.Errorf("inside: code %d, %q: the server changed its program", code, out)
	}
	if now, err := os.ReadFile(name); err != nil || len(now) != len(shell) {
		t.Errorf("the program has %d bytes of %d: %v", len(now), len(shell), err)
	}
	if out, err := exec.Command(server[0], server[1:]...).Output(); err != nil || string(out) != "written\n" {
		t.Errorf("outside: %q, %v: want it changed", out, err)
	}
}
