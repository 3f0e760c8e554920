package shim_test

import (
	"os"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// What a server does to the mode of a terminal that it was handed, or by TIOCEXCL, is undone when it has ended.
func TestTerminalIsAsItWas(t *testing.T) {
	for _, confinement := range []string{"full"} {
		master, slave, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer master.Close()
		defer slave.Close()
		if err := slave.Chmod(0o620); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 { // or the mode is not the server's to change
			if err := slave.Chown(65533, -1); err != nil {
				t.Fatal(err)
			}
		}
		s := build(t, "/var/tmp")
		l := s.flooding(t, weaker(`{"version":1}`, confinement), "terminal", s.path("write/none"))
		l.Begin = confinement
		_, _, done := start(t, l, slave)
		o := done()
		if o.code != 9 || o.stdout != "0 0\n" {
			t.Fatalf("%s: code %d, the server could not do it: %q\n%s", confinement, o.code, o.stdout, o.stderr)
		}
		info, err := slave.Stat()
		if err != nil {
			t.Fatal(err)
		}
		only, err := unix.IoctlGetInt(int(slave.Fd()), unix.TIOCGEXCL)
		if info.Mode().Perm() != 0o620 || only != 0 || err != nil {
			t.Errorf("%s: mode %o, exclusive %d, %v", confinement, info.Mode().Perm(), only, err)
		}
	}
}
