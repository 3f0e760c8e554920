package fsview

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What another server puts in the place of a file, between the launcher's look at it and its reading, is neither waited for
// nor read.
func TestReadWhatWasLookedAt(t *testing.T) {
	for _, c := range []struct {
		name string
		swap func(root string) error
		err  error
	}{
		{"nothing", func(string) error { return nil }, nil},
		{"another file", func(r string) error { return os.Rename(r+"/secret/f", r+"/p/d/f") }, unix.ESTALE},
		{"a link", func(r string) error { return errors.Join(os.Remove(r+"/p/d/f"), os.Symlink(r+"/secret/f", r+"/p/d/f")) }, unix.ELOOP},
		{"a link in place of the folder", func(r string) error {
			return errors.Join(os.Rename(r+"/p/d", r+"/p/e"), os.Symlink(r+"/secret", r+"/p/d"))
		}, unix.ESTALE},
		{"a pipe that nobody writes to", func(r string) error { return errors.Join(os.Remove(r+"/p/d/f"), unix.Mkfifo(r+"/p/d/f", 0o600)) }, unix.ESTALE},
		{"a socket", func(r string) error {
			os.Remove(r + "/p/d/f")
			fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			return errors.Join(err, unix.Chdir(r+"/p/d"), unix.Bind(fd, &unix.SockaddrUnix{Name: "f"}), unix.Close(fd))
		}, unix.ENXIO},
		{"a device", func(r string) error {
			if os.Geteuid() != 0 {
				return errors.Join(os.Remove(r+"/p/d/f"), os.Symlink("/dev/tty", r+"/p/d/f"))
			}
			return errors.Join(os.Remove(r+"/p/d/f"), os.Symlink("/dev/zero", r+"/p/d/f"))
		}, unix.ELOOP},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir("/")
			root := plant(t, "p/d/f = ours\n secret/f = secret")
			h := lookups{seen: map[string]*looked{}}
			_, err := h.lstat(root + "/p/d/f")
			must(t, err)
			must(t, c.swap(root))
			done := make(chan error, 1)
			go func() {
				b, err := h.read(root+"/p/d/f", 100)
				if err == nil && string(b) != "ours" {
					err = errors.New(string(b))
				}
				done <- err
			}()
			if err := testbed.Receive(t, "the end of the reading", done); !errors.Is(err, c.err) {
				t.Errorf("%v, want %v", err, c.err)
			}
		})
	}
}

// A name that is moved while it is looked for leaves a trace in its folder.
func TestChangedSince(t *testing.T) {
	root := plant(t, "p/f")
	quiet(t, root)
	began := time.Now()
	if changedSince(root+"/p", began) {
		t.Error("it has not changed")
	}
	must(t, os.Rename(root+"/p/f", root+"/p/g"))
	if !changedSince(root+"/p", began) || !changedSince(root+"/none", began) {
		t.Error("it has changed, or is gone")
	}
}
