package escape_test

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
	"golang.org/x/sys/unix"
)

// A scene is what the policy grants, what it does not, and the host's objects that rows name:
//
//	S/   its folder              =H  a process of the host        =X  the same, as the bytes of an int
//	=P   a TCP port of the host's loopback                        =A  an abstract socket
//	=T   a terminal of the host  =M, =Q, =N  keys of shared memory, of a queue, of semaphores (System V)
//	=K   the shared memory's id  =O  the name of POSIX shared memory and of a POSIX queue
type scene struct {
	dir     string
	words   *strings.Replacer
	machine testbed.Machine // what the launcher runs on
	data    string          // the folder that the store lies in
	started bool            // servers are started from a package
}

// put names the scene's objects.
func (s *scene) put(words string) string { return s.words.Replace(words) }

func (s *scene) policy(l level) string { return strings.ReplaceAll(l.doc, "STAGE", s.dir) }

// stage makes a scene.
func stage(t *testing.T) *scene {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "mcp-sandbox-escape-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, f := range []string{"home/key", "read/file", "read/sub/file", "write/note", "write/a/b/secret", "write/c/d/frozen",
		"write/repo/.git/config", "write/repo/.git/hooks/post-commit", "write/.git/config", "write/.vscode/tasks.json",
		"write/.claude/settings.json", "write/.cursor/mcp.json", "write/.mcp.json", "write/.gemini/settings.json", "write/scripts/check", "write/repo/included",
		"write/repo/hooks/pre-commit", "write/.vscode/launch.json -> ../scripts/check"} {
		f, target, link := strings.Cut(f, " -> ")
		f = filepath.Join(dir, f)
		err := os.MkdirAll(filepath.Dir(f), 0o777)
		if content := "a key\n"; link {
			err = errors.Join(err, os.Symlink(target, f))
		} else {
			if strings.HasSuffix(f, "repo/.git/config") {
				content = "[include]\npath = ../included\n[core]\nhooksPath = hooks\n"
			}
			err = errors.Join(err, os.WriteFile(f, []byte(content), 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(path, 0o777)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Setxattr(dir+"/read/file", "user.kept", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	if root() { // the null device: what a server finds in a grant that a root's host made
		null := filepath.Join(dir, "write/device")
		if err := errors.Join(unix.Mknod(null, unix.S_IFCHR|0o666, 0x103), os.Chmod(null, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	s := &scene{dir: dir}
	shelf := s.shelve(t)
	pid := strconv.Itoa(sleeper(t))
	s.words = strings.NewReplacer(append([]string{"S/", dir + "/", "=H", pid, "=X", hex.EncodeToString(word(t, pid)), "=P", listener(t),
		"=T", terminal(t)}, slices.Concat(shelf, ipc(t), sockets4(t, dir))...)...)
	return s
}

// asleep is how long the sleeper would sleep, and what its command line is known by.
const asleep = "1h"

// sleeper is the id of a process of the host.
func sleeper(t *testing.T) int {
	t.Helper()
	return testbed.Background(t, exec.Command(testbed.Self(t, adversaryName), "sleep", asleep))
}

// listener is the port of a TCP listener of the host's loopback.
func listener(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// sockets4 listens where AF_UNIX can: an abstract name, and paths in a grant and elsewhere.
func sockets4(t *testing.T, dir string) []string {
	t.Helper()
	name := "@" + filepath.Base(dir)
	for _, path := range []string{name, dir + "/read/socket", dir + "/home/socket"} {
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		if path != name {
			if err := os.Chmod(path, 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	return []string{"=A", name}
}

// outside makes an act where no sandbox is, with a socket as standard input as the server has, and returns its last
// result.
func (s *scene) outside(t *testing.T, program string, right bool, words string) attempt.Result {
	t.Helper()
	cmd := exec.Command(program, append([]string{"--"}, strings.Fields(words)...)...)
	cmd.Dir = s.dir
	// A process that this test traces stops at each signal, also at those by which Go's scheduler interrupts a thread,
	// and nobody lets it go on.
	cmd.Env = []string{"HOST_SECRET=mellon", "GODEBUG=asyncpreemptoff=1"}
	cmd.Stdin = session(t)
	if right {
		cmd.SysProcAttr = testbed.EveryRight(everyOther)
	}
	text, err := cmd.Output()
	all := results(t, string(text))
	if err != nil || len(all) == 0 {
		t.Fatalf("control: %v, %s", err, text)
	}
	return all[len(all)-1]
}

// session is one end of a socket pair; the other stays open until the test's end.
func session(t *testing.T) *os.File {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	peer := os.NewFile(uintptr(fds[0]), "peer")
	end := os.NewFile(uintptr(fds[1]), "session")
	t.Cleanup(func() { peer.Close(); end.Close() })
	return end
}
