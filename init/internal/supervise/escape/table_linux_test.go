package escape_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
	"golang.org/x/sys/unix"
)

// A row is one act of the adversary. Words are separated by blanks; S is the stage, H the process id of a host's process,
// P the port of a host's listener on the loopback.
type row struct {
	name, act string
	in        string // the errnos that may come back inside; empty: see never
	never     string // what its result must not hold inside, and the control's does
	control   string // where another object has to be named outside, or something made first; empty: act
	out       string // the errnos, beyond "ok", that show outside that the act got past where it is refused inside
	right     bool   // the control needs capabilities: it has them in a namespace of its own
	root      bool   // only a root can stage or control it
}

const doc = `{"version":1,"filesystem":{"allowRead":["STAGE/read"],"allowWrite":["STAGE/write"],"denyRead":["STAGE/write/a/b/secret"],
	"denyWrite":["STAGE/write/c/d/frozen"],"tmpSize":"8M"},"cwd":"/"}`

// stage makes what the policy grants, and what it does not.
func stage(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "mcp-sandbox-escape-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, d := range []string{"home", "read", "write/a/b", "write/c/d"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"home/key", "read/file", "write/note", "write/a/b/secret", "write/c/d/frozen"} {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("a key\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(path, 0o777)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // the null device: what a server finds in a grant that a root's host made
		null := filepath.Join(dir, "write/device")
		if err := errors.Join(unix.Mknod(null, unix.S_IFCHR|0o666, 0x103), os.Chmod(null, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestEscape tries every row inside, in one launch, and then each control outside.
func TestEscape(t *testing.T) {
	s := stage(t)
	program := testbed.Program(t, "escape")
	put := strings.NewReplacer("S/", s+"/", "=H", sleeper(t, program), "=P", listener(t))
	var all []row
	for _, rows := range [][]row{spaces(), mounts(), processes(), files(), sockets(), kernel()} {
		for _, r := range rows {
			if !r.root || os.Geteuid() == 0 {
				all = append(all, r)
			}
		}
	}
	command := []string{program}
	for _, r := range all {
		command = append(append(command, "--"), strings.Fields(put.Replace(r.act))...)
	}
	stdout, stderr, code := launch(t, strings.ReplaceAll(doc, "STAGE", s), s+"/home", command...)
	inside := results(t, stdout)
	if code != 0 || len(inside) != len(all) {
		t.Fatalf("%d results of %d, code %d\n%s\n%s", len(inside), len(all), code, stdout, stderr)
	}
	for i, r := range all {
		t.Run(r.name, func(t *testing.T) {
			r.refused(t, inside[i])
			words := r.control
			if words == "" {
				words = r.act
			}
			r.controlled(t, s, program, put.Replace(words))
		})
	}
}

func (r *row) refused(t *testing.T, in attempt.Result) {
	if r.in != "" && (in.OK || !slices.Contains(strings.Fields(r.in), in.Errno)) {
		t.Errorf("inside: %+v, want %s", in, r.in)
	}
	if r.never != "" && strings.Contains(in.Detail, r.never) {
		t.Errorf("inside: %+v", in)
	}
}

func (r *row) controlled(t *testing.T, s, program, words string) {
	cmd := exec.Command(program, append([]string{"--"}, strings.Fields(words)...)...)
	cmd.Dir = s
	cmd.Env = []string{"HOST_SECRET=mellon"}
	if r.right {
		cmd.SysProcAttr = everyRight()
	}
	text, err := cmd.Output()
	all := results(t, string(text))
	if err != nil || len(all) == 0 {
		t.Fatalf("control: %v, %s", err, text)
	}
	out := all[len(all)-1]
	if !out.OK && !slices.Contains(strings.Fields(r.out), out.Errno) {
		t.Errorf("outside it does not go through either: %+v", out)
	}
	if !strings.Contains(out.Detail, r.never) {
		t.Errorf("outside: %+v, want %q in it", out, r.never)
	}
}

// call is a system call with its words.
func call(number int, words string) string { return fmt.Sprintf("call %d %s", number, words) }
