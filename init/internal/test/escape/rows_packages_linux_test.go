package escape_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// packages: the server is started from one. It neither writes that one, by whatever name, nor puts another in its place,
// nor sees one beside it.
func packages() []row {
	const changed, there = "EROFS EACCES EPERM", "EROFS EACCES EPERM ENOENT"
	const busy = "EBUSY EXDEV EACCES EROFS EPERM ENOENT"
	opened := func(path, name, flags string) string {
		return call(unix.SYS_OPENAT, "o:"+path+" s:"+name+" "+flags)
	}
	return []row{
		{name: "write a file of the package", act: "append =Y/lock", in: changed},
		{name: "write a file of the package through its root", act: "append /proc/self/root=Y/lock", in: changed},
		{name: "write a file of the package through init's root", act: "append /proc/1/root=Y/lock", in: there, control: "append =Y/lock"},
		{name: "write a file of the package through a descriptor", act: opened("=Y", "lock", "1"), in: changed},
		{name: "write a file of the package through O_PATH", act: "reopen =Y/lock 2", in: changed},
		{name: "empty a file of the package", act: call(unix.SYS_TRUNCATE, "s:=Y/gone 0"), in: there, control: "write =Y/gone -- " + call(unix.SYS_TRUNCATE, "s:=Y/gone 0") + " -- remove =Y/gone"},
		{name: "a new file in the package", act: "write =Y/new", in: changed, control: "write =Y/new -- remove =Y/new"},
		{name: "an unnamed file in the package", act: call(unix.SYS_OPENAT, "-100 s:=Y 0x410002 0600"), in: changed},
		{name: "a folder in the package", act: "mkdir =Y/new", in: changed, control: "mkdir =Y/new -- remove =Y/new"},
		{name: "remove a file of the package", act: "remove =Y/gone", in: there, control: "write =Y/gone -- remove =Y/gone"},
		{name: "another name for a file of the package", act: "rename =Y/lock =Y/other", in: changed, control: "rename =Y/lock =Y/other -- rename =Y/other =Y/lock"},
		{name: "hard link to a file of the package", act: "link =Y/lock S/write/hard", in: "EROFS EXDEV EACCES EPERM", control: "link =Y/lock S/write/hard -- remove S/write/hard"},
		{name: "take a file out of the package", act: "rename =Y/lock S/write/taken", in: "EROFS EXDEV EACCES EPERM", control: "rename =Y/lock S/write/taken -- rename S/write/taken =Y/lock"},
		{name: "put a file into the package", act: "rename S/write/note =Y/put", in: "EROFS EXDEV EACCES EPERM", control: "rename S/write/note =Y/put -- rename =Y/put S/write/note"},
		{name: "rename the package", act: "rename =Y =Y.old", in: busy, control: "rename =Y =Y.old -- rename =Y.old =Y"},
		{name: "exchange the package", act: exchange("=Y", "S/read/sub"), in: busy, control: exchange("=Y", "S/read/sub") + " -- " + exchange("=Y", "S/read/sub")},
		{name: "exchange the package with one beside it", act: exchange("=Y", "=Z"), in: busy, control: exchange("=Y", "=Z") + " -- " + exchange("=Y", "=Z")},
		{name: "rename the folder above the package", act: "rename =V/x =V/old", in: busy, control: "rename =V/x =V/old -- rename =V/old =V/x"},
		{name: "a package beside it", act: "read =Z/lock", in: "ENOENT EACCES", not: "read"},
		{name: "a package beside it through a descriptor", act: opened("=Y", "../../beside/1/lock", "0"), in: "ENOENT EACCES", not: "read"},
		{name: "the names of others", act: "list =V", never: "beside", not: "read"},
		{name: "write a package beside it", act: "append =Z/lock", in: there},
	}
}

// shelve makes the store of a scene, and names what lies in it:
//
//	=V  a folder of packages   =Y  the server's package   =Z  one beside it
func (s *scene) shelve(t *testing.T) []string {
	t.Helper()
	data, err := os.MkdirTemp("/var/tmp", "mcp-sandbox-escape-data-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(data) })
	s.data = data
	store := data + "/mcp-sandbox/store/npm"
	for _, pack := range []string{store + "/x/1", store + "/beside/1"} {
		if err := errors.Join(os.MkdirAll(pack, 0o700), os.Chmod(pack, 0o755),
			os.WriteFile(filepath.Join(pack, "lock"), []byte("a key\n"), 0o666), os.Chmod(pack+"/lock", 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"=V", store, "=Y", store + "/x/1", "=Z", store + "/beside/1"}
}

// stored is the package of a launch. The servers of root come to none without namespaces.
func (s *scene) stored(l level) (all order.Stored) {
	if s.started && hasPackage(l) {
		all.Package = &order.PackageID{Name: "x", Path: s.put("=Y")}
	}
	return all
}

func hasPackage(l level) bool { return !l.reduced || !root() }
