package places_test

import (
	"os/exec"
	"strings"
	"testing"
)

// The private folder lies in the first of TMPDIR, /tmp and /dev/shm that serves, whatever user this is and whatever
// there is not. Where none does the refusal names all that were tried, and what to mount.
func TestPrivatePlaces(t *testing.T) {
	const path = "PATH=/usr/bin:/bin"
	shm := tmpfs("/dev/shm", "mode=1777")
	for _, c := range []struct {
		name string
		container
		want string // where it lies
		says []string
	}{
		{name: "as an engine has it", container: container{mounts: []object{tmpfs("/tmp", "mode=1777"), shm}}, want: "/tmp/"},
		{name: "an emptyDir", container: container{mounts: []object{tmpfs("/tmp", "mode=0777"), shm}}, want: "/tmp/"},
		{name: "an emptyDir with fsGroup", container: container{mounts: []object{tmpfs("/tmp", "mode=2777"), shm}}, want: "/tmp/"},
		{name: "an emptyDir alone, no HOME", container: container{mounts: []object{tmpfs("/tmp", "mode=0777")}, env: []string{path}}, want: "/tmp/"},
		{name: "no /tmp", container: container{mounts: []object{shm}}, want: "/dev/shm/"},
		{name: "a read-only /tmp", container: container{mounts: []object{tmpfs("/tmp", "mode=1777", "ro"), shm}}, want: "/dev/shm/"},
		{name: "a TMPDIR of a volume", container: container{mounts: []object{tmpfs("/volume", "mode=0777")}, env: []string{path, "TMPDIR=/volume"}}, want: "/volume/"},
		{name: "a TMPDIR that is not there", container: container{mounts: []object{tmpfs("/tmp", "mode=0777")}, env: []string{path, "TMPDIR=/volume"}}, want: "/tmp/"},
		{name: "a TMPDIR that is a file", container: container{mounts: []object{tmpfs("/tmp", "mode=0777")}, env: []string{path, "TMPDIR=/etc/passwd"}}, want: "/tmp/"},
		{name: "a TMPDIR that is relative", container: container{mounts: []object{tmpfs("/tmp", "mode=0777")}, env: []string{path, "TMPDIR=tmp"}}, want: "/tmp/"},
		{name: "nothing", says: []string{"/tmp: read-only file system", "/dev/shm: no such file or directory", "emptyDir", "4242"}},
		{name: "nothing that can be written to", container: container{mounts: []object{tmpfs("/tmp", "ro"), tmpfs("/dev/shm", "ro")},
			env: []string{path, "TMPDIR=/no"}},
			says: []string{"/no: no such file", "/tmp: read-only", "/dev/shm: read-only", "emptyDir"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			c.uid, c.restricted, c.bare = 4242, true, true
			c.mounts = append(c.mounts, bind(h.bin, "/sandbox"))
			words := in(c.container)(h, []string{"/sandbox/mcp-sandbox-init", "--", "/bin/sh", "-c", `echo "$TMPDIR" && : >"$TMPDIR/file" && : >"$HOME/file" && echo done`})
			cmd := exec.Command(words[0], words[1:]...)
			var errs strings.Builder
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if c.want == "" {
				if cmd.ProcessState.ExitCode() != 125 || len(out) > 0 {
					t.Errorf("%v: %s", err, out)
				}
			} else if !strings.HasPrefix(string(out), c.want) || !strings.HasSuffix(string(out), "\ndone\n") || err != nil {
				t.Errorf("%v: %q, want a folder in %s\n%s", err, out, c.want, errs.String())
			}
			for _, text := range c.says {
				if !strings.Contains(errs.String(), text) {
					t.Errorf("want %q in: %s", text, errs.String())
				}
			}
		})
	}
}
