package shim_test

import (
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A host puts something of another kind in the place of a denied and of a protected file. The server reads nothing of the one and
// writes nothing to the other: not even to a pipe, which a mount that is read-only would not keep it from.
func TestReplacedByAnotherKind(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"folder": func(path string) error { return os.Mkdir(path, 0o777) },
		"pipe":   func(path string) error { return unix.Mkfifo(path, 0o666) },
		"socket": func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { l.Close() })
				l.(*net.UnixListener).SetUnlinkOnClose(false)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := build(t, "/var/tmp").subject(t, masked, nil)
			for _, file := range []string{"write/secret", "write/.mcp.json"} {
				path := s.Path(file)
				if err := make(path + ".new"); err != nil {
					t.Fatal(err)
				}
				os.Chmod(path+".new", 0o777)
				if name == "pipe" { // or nobody could open it without a wait
					f, err := os.OpenFile(path+".new", os.O_RDWR, 0)
					if err != nil {
						t.Fatal(err)
					}
					defer f.Close()
					f.WriteString("content\n")
				}
				if err := unix.Renameat2(unix.AT_FDCWD, path+".new", unix.AT_FDCWD, path, unix.RENAME_EXCHANGE); err != nil {
					t.Fatal(err)
				}
				s.covered(file)
			}
			s.tell("")
			s.tell(`{ true >.mcp.json/x; } && echo made; { true >secret/x; } && echo made; true`)
			o := s.end()
			if last := o.Report[len(o.Report)-1]; o.Code != 7 || last["cause"] != "exit" || o.Stdout != "tried\ntried\n" {
				t.Errorf("code %d, %v, %q\n%s", o.Code, last, o.Stdout, o.Stderr)
			}
		})
	}
}

// A host replaces many covered files at once, and all of them are covered again.
func TestManyAreReplacedAtOnce(t *testing.T) {
	const files = 100
	st := build(t, "/var/tmp")
	var deny []string
	for i := range files {
		st.fresh(t, "write/m"+strconv.Itoa(i))
		deny = append(deny, strconv.Quote(st.Path("write/m"+strconv.Itoa(i))))
	}
	s := st.subject(t, `{"version":1,"filesystem":{"allowWrite":["STAGE/write"],"denyRead":["STAGE/write/secret",`+strings.Join(deny, ",")+`]}}`, nil)
	for i := range files {
		s.fresh(t, "write/n"+strconv.Itoa(i))
	}
	s.tell("")
	for i := range files {
		if err := os.Rename(s.Path("write/n"+strconv.Itoa(i)), s.Path("write/m"+strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range files {
		s.covered("write/m" + strconv.Itoa(i))
	}
	s.tell("cat m*")
	o := s.end()
	if last := o.Report[len(o.Report)-1]; o.Code != 7 || last["cause"] != "exit" || o.Stdout != "tried\ntried\n" {
		t.Errorf("code %d, %v, %q\n%s", o.Code, last, o.Stdout, o.Stderr)
	}
}
