package shim_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// hold is a server that has a file by something else than a descriptor. When it has, it says so in the pipe "mapped".
func hold(words []string) {
	f, err := os.OpenFile(words[1], os.O_RDWR, 0)
	var b []byte
	var pair [2]int
	switch words[0] {
	case "shared": // could be written and was made read-only
		if err == nil {
			b, err = unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		}
		if err == nil {
			err = unix.Mprotect(b, unix.PROT_READ)
		}
	case "hidden": // from the launcher, if that is no root
		err = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
		defer f.Close()
		f = nil
	case "flight":
		if pair, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
			err = unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(int(f.Fd())), nil, 0)
		}
	case "deep": // below so many folders that the kernel cannot name it
		for i := 0; err == nil && i < 20; i++ {
			name := strings.Repeat("x", 250)
			if err = unix.Mkdir(name, 0o777); err == nil {
				err = unix.Chdir(name)
			}
		}
		var in *os.File
		if err == nil {
			in, err = os.Create("secret")
		}
		defer in.Close()
		if err == nil {
			err = unix.Chdir(words[2])
		}
	}
	f.Close() // of nil does nothing
	os.WriteFile("mapped", []byte(fmt.Sprintln(err)), 0)
	testbed.Span(flooded)
}

// How the server has something in a new folder when that takes the place of one that is covered, and which.
var holdings = []struct {
	name, folder, do string
	lost             bool
}{
	{"the folder", "dir", "{ cd dir.new && sleep 600; } & until ls -l /proc/$!/cwd | grep -q dir.new; do :; done", true},
	{"a file deep in it", "dir", "sleep 600 3<dir.new/a/b/file & until ls -l /proc/$!/fd | grep -q dir.new; do :; done", true},
	{"a folder in it", "dir", "sleep 600 3<dir.new/a & until ls -l /proc/$!/fd | grep -q dir.new; do :; done", true},
	{"stands in it", "dir", "{ cd dir.new/a && sleep 600; } & until ls -l /proc/$!/cwd | grep -q dir.new; do :; done", true},
	{"in folders too deep to tell", "dir", "W=$PWD; { cd dir.new/a && EXE -flood hold deep b/file $W; } & read -r x <mapped; echo mapped $x", true},
	{"runs from it", "dir", "dir.new/a/prog 600 & until ls -l /proc/$!/exe | grep -q dir.new; do :; done", true},
	{"mapped", "dir", "EXE -flood map dir.new/a/b/file & read -r x <mapped; [ \"$x\" = '<nil>' ] && echo mapped", true},
	{"mapped, shared", "dir", "EXE -flood hold shared dir.new/a/b/file & read -r x <mapped; echo mapped $x", true},
	{"without a first thread", "dir", "EXE -flood headless dir.new/a/b/file $PWD/at & until [ -e at.ready ]; do :; done", true},
	{"mapped, without a first thread", "dir", "EXE -flood headless dir.new/a/b/file $PWD/at mapped & until [ -e at.ready ]; do :; done", true},
	{"without anybody's right to look", "dir", "EXE -flood hold hidden dir.new/a/b/file & read -r x <mapped; echo mapped $x", true},
	{"on its way", "dir", "EXE -flood hold flight dir.new/a/b/file & read -r x <mapped; echo mapped $x", true},
	{"another name", "dir", "ln dir.new/a/b/file kept", true},
	{"nothing", "dir", "exec 3<dir.new.not 4<dir 5<sub/other/file; cd sub/other; cd ../..", false},
	{"nothing, without a first thread", "dir", "EXE -flood headless dir.new.not/a/b/file $PWD/at & until [ -e at.ready ]; do :; done", false},
	{"a file in what is protected", ".vscode", "sleep 600 3<.vscode.new/a/b/file & until ls -l /proc/$!/fd | grep -q vscode.new; do :; done", true},
	{"mapped of what is protected", ".vscode", "EXE -flood hold shared .vscode.new/a/b/file & read -r x <mapped; echo mapped $x", true},
	{"mapped alone of what is protected", ".vscode", "EXE -flood map .vscode.new/a/b/file & read -r x <mapped; echo mapped $x", false},
	{"another name of what is protected", ".vscode", "ln .vscode.new/a/b/file kept", true},
	{"other names that a host makes", ".vscode", "ln .vscode.new/objects/file kept", false},
	{"stands beside what is denied", "sub", "{ cd sub.new/other && sleep 600; } & until ls -l /proc/$!/cwd | grep -q sub.new; do :; done", true},
	{"a file beside what is denied", "sub", "exec 3<sub.new/other/file", false},
}

// What is in a folder that the host puts in the place of a covered one, and that a process of the sandbox has, or that has
// another name, ends the server. What it has elsewhere is no matter.
func TestHoldsWhatLiesInWhatIsDenied(t *testing.T) {
	exe := testbed.Self(t, "self")
	for _, c := range holdings {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			st := build(t, "/var/tmp")
			for _, name := range []string{"dir", "dir.new", "dir.new.not", ".vscode", ".vscode.new", "sub", "sub.new"} {
				for _, f := range []string{"a/b/file", "a/pipe", "objects/file", "other/file", "hidden"} {
					st.foldered(t, "write/"+name+"/"+f)
				}
			}
			b, _ := os.ReadFile("/bin/sleep")
			os.WriteFile(st.path("write/dir.new/a/prog"), b, 0o755)
			unix.Mkfifo(st.path("write/mapped"), 0o666)
			os.Chmod(st.path("write/mapped"), 0o666)
			s := st.subject(t, `{"version":1,"filesystem":{"allowWrite":["STAGE/write"],"allowRead":["`+exe+
				`"],"denyRead":["STAGE/write/secret","STAGE/write/dir","STAGE/write/sub/hidden"]}}`, nil)
			s.tell(strings.Replace(c.do, "EXE", exe, 1))
			if err := unix.Renameat2(unix.AT_FDCWD, s.path("write/"+c.folder+".new"), unix.AT_FDCWD, s.path("write/"+c.folder), unix.RENAME_EXCHANGE); err != nil {
				t.Fatal(err)
			}
			var o outcome
			if c.lost {
				o = s.ended()
			} else {
				// What is saved later is covered later, and before that nothing is looked for.
				s.fresh(t, "write/secret.new")
				s.covered("write/" + c.folder)
				s.shimIdle()
				o = s.end()
			}
			last := o.report[len(o.report)-1]
			if strings.Contains(o.stdout, "mapped") && !strings.Contains(o.stdout, "mapped <nil>") && o.stdout != "mapped\ntried\n" {
				t.Fatalf("%q", o.stdout)
			}
			if want := map[bool]string{true: "policy-lost", false: "exit"}[c.lost]; last["cause"] != want {
				t.Errorf("code %d, %v, %q\n%s", o.code, last, o.stdout, o.stderr)
			}
		})
	}
}

// foldered makes a file or, by its name, a pipe that the server could read and write, and its folders.
func (s stage) foldered(t *testing.T, name string) {
	for i := range name {
		if name[i] == '/' {
			os.Mkdir(s.path(name[:i]), 0o777)
			os.Chmod(s.path(name[:i]), 0o777)
		}
	}
	if strings.HasSuffix(name, "/pipe") {
		unix.Mkfifo(s.path(name), 0o666)
		os.Chmod(s.path(name), 0o666)
		return
	}
	s.fresh(t, name)
}
