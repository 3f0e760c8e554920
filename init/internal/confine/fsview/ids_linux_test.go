package fsview

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// As a root launcher for 65533:65533.
func TestIDs(t *testing.T) {
	root := plant(t, "home/\n p/file\n open/file\n srv!\n script! = #!/bin/sh\n")
	for path, mode := range map[string]os.FileMode{"p": 0o700, "p/file": 0o600, "open": 0o777, "open/file": 0o604, "srv": 0o711, "script": 0o711} {
		must(t, os.Chmod(root+"/"+path, mode))
	}
	for _, c := range []struct {
		wish    wish
		command string
		err     error
	}{
		{wish: wish{read: []string{"T/open", "T/open/file"}, write: []string{"T/open"}}, command: "T/srv"},
		{wish: wish{read: []string{"T/p"}}, command: "T/srv", err: ErrDenied},
		{wish: wish{read: []string{"T/p/file"}}, command: "T/srv", err: ErrDenied},
		{wish: wish{write: []string{"T/open/file"}}, command: "T/srv", err: ErrDenied},
		{wish: wish{write: []string{"T/open/file"}, level: "strict"}, command: "T/srv"},
		{command: "T/script", err: ErrDenied}, // its interpreter has to read it
	} {
		r := c.wish.request(root)
		r.Root, r.UID, r.GID = true, 65533, 65533
		r.Command = at(root, []string{c.command})
		_, err := Plan(r)
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%+v: %v, want %v", c, err, c.err)
		}
		if err != nil && !strings.Contains(err.Error(), "permission denied for 65533:65533, the ids of the server") {
			t.Errorf("no hint: %v", err)
		}
		r.Root = false
		if _, err := Plan(r); err != nil {
			t.Errorf("%+v as the launcher's own ids: %v", c, err)
		}
	}
}

// An access list lets in whom the mode keeps out, and the other way round.
func TestIDsByAccessList(t *testing.T) {
	root := plant(t, "home/\n in\n out\n")
	entry := func(tag, perm byte, id uint32) []byte {
		return []byte{tag, 0, perm, 0, byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)}
	}
	const none = ^uint32(0)
	list := func(perm, other byte) []byte {
		return slices.Concat([]byte{aclVersion, 0, 0, 0}, entry(aclOwner, 6, none), entry(aclUser, perm, 65533),
			entry(aclOwnGroup, 0, none), entry(aclMask, 7, none), entry(aclOther, other, none))
	}
	for name, b := range map[string][]byte{"in": list(4, 0), "out": list(0, 4)} {
		err := unix.Setxattr(root+"/"+name, "system.posix_acl_access", b, 0)
		if errors.Is(err, unix.EOPNOTSUPP) {
			t.Skip("no access lists on the file system of the temporary folder")
		}
		must(t, err)
	}
	for name, want := range map[string]error{"in": nil, "out": ErrDenied} {
		r := wish{read: []string{"T/" + name}}.request(root)
		r.Root, r.UID, r.GID = true, 65533, 65533
		if _, err := Plan(r); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
