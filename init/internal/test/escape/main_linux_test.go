package escape_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
	"golang.org/x/sys/unix"
)

// The adversary acts in its first thread: any other one that asks to be traced is a zombie that only the thread of the
// test that started it can wait for, and the whole process with it.
func init() {
	if filepath.Base(os.Args[0]) == adversaryName {
		runtime.LockOSThread()
	}
}

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == adversaryName {
		actAll(os.Args[1:])
	}
	host.Main(testbed.Roles{withoutLandlock: execWithoutLandlock})
	os.Exit(testbed.Run(m))
}

// launch runs a command in a sandbox and returns its output, the launcher's lines, and the exit status.
func launch(t *testing.T, s *scene, l level, command ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := s.shim(t, l, command...)
	cmd.Stdin = session(t)
	code, stdout, stderr = testbed.Finish(t, cmd)
	return stdout, stderr, code
}

// shim is a launch that is not started yet, on the machine of its level.
func (s *scene) shim(t *testing.T, l level, command ...string) *exec.Cmd {
	t.Helper()
	cmd := host.Launch{Policy: s.policy(l), Command: command, Stored: s.stored(l), Env: []string{"HOME=" + s.dir + "/home",
		"XDG_DATA_HOME=" + s.data, "PATH=/usr/bin:/bin", "HOST_SECRET=mellon", testbed.NoWait}}.Cmd(t)
	if !root() { // the namespace of an ordinary user has no other groups
		cmd.SysProcAttr = nil
	}
	m := s.machine
	if m.Root = root(); l.reduced {
		m.Lacks = []testbed.Lack{testbed.NoUserNamespaces}
	}
	if l.reduced || m.At != "" {
		m.Put(t, cmd)
	}
	return cmd
}

// acting is a launch of the adversary with its words.
func (s *scene) acting(t *testing.T, l level, act string) *exec.Cmd {
	t.Helper()
	return s.shim(t, l, append([]string{testbed.Self(t, adversaryName)}, strings.Fields(s.put(act))...)...)
}

// results reads what the program wrote of its acts.
func results(t *testing.T, text string) []attempt.Result {
	t.Helper()
	all, err := attempt.Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return all
}

// root reports whether this is the machine's, not that of a namespace which the test made as an ordinary user.
func root() bool { return os.Geteuid() == 0 && os.Getenv(inNetworkEnv) != "user" }

// everyOther are the namespaces beside the user's own in which the host never sees what is done.
const everyOther = unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
