package escape_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// alone runs one act in a sandbox of its own and returns what it told.
func alone(t *testing.T, s *scene, l level, act string) string {
	t.Helper()
	command := append([]string{testbed.Self(t, adversaryName)}, strings.Fields(act)...)
	stdout, stderr, code := launch(t, s, l, command...)
	all := results(t, stdout)
	if code != 0 || len(all) != 1 {
		t.Fatalf("code %d, %q, %s", code, stdout, stderr)
	}
	return all[0].Detail
}

// outside does the same without a sandbox, as an ordinary user if by is not nil.
func outside(t *testing.T, by *syscall.Credential, act string) string {
	t.Helper()
	cmd := exec.Command(testbed.Self(t, adversaryName), strings.Fields(act)...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: by}
	text, err := cmd.Output()
	all := results(t, string(text))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %q", err, text)
	}
	return all[0].Detail
}

// The private folders have one cap together, in bytes and in inodes, whichever is filled first.
func privateFoldersFill(t *testing.T, l level) {
	s := stage(t)
	for _, first := range []string{"/tmp " + s.dir + "/home /dev/shm", "/dev/shm " + s.dir + "/home /tmp"} {
		if got := number(t, alone(t, s, l, "fill 64 "+first)); got < 1 || got > 8 {
			t.Errorf("%d MiB fitted in 8 MiB", got)
		}
		if got := number(t, alone(t, s, l, "fill-inodes 4000 "+first)); got < 100 || got > 8<<20/(8<<10)+64 { // and some of the layout's own
			t.Errorf("%d files fitted in %d inodes", got, 8<<20/(8<<10))
		}
	}
	if got := outside(t, nil, "fill 64 "+s.dir+"/home"); got != "64" {
		t.Errorf("outside %s MiB", got)
	}
	if got := outside(t, nil, "fill-inodes 4000 "+s.dir+"/home"); got != "4000" {
		t.Errorf("outside %s files", got)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A signal to every process reaches the server's own and no other: the control is that the server's own child dies of
// it. Where no scope of Landlock's says which those are, the filter refuses it altogether.
func signalToAll(t *testing.T, l level) {
	s := stage(t)
	pid := sleeper(t)
	want := "signal: killed"
	if l.reduced && landlockABI(t) < 6 {
		want = "operation not permitted"
	}
	if got := alone(t, s, l, "kill-all"); got != want {
		t.Errorf("the server's own child: %s", got)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("the host's process: %v", err)
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil || strings.Contains(string(stat), ") Z ") {
		t.Errorf("the host's process: %s, %v", stat, err)
	}
}

// copied is the adversary's program, in a grant.
func (s *scene) copied(t *testing.T) string {
	t.Helper()
	return testbed.CopyTo(t, filepath.Join(s.dir, "read", adversaryName))
}

// A program with the set-user-ID bit makes nobody root inside.
func setuidProgram(t *testing.T, l level) {
	if !root() {
		t.Skip("only root can make one that says anything")
	}
	s := stage(t)
	suid := s.copied(t)
	if err := os.Chmod(suid, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	act := "spawn " + suid + " call " + strconv.Itoa(syscall.SYS_GETEUID)
	if got := outside(t, &syscall.Credential{Uid: 12345, Gid: 12345}, act); !strings.Contains(got, `"detail":"0"`) {
		t.Errorf("outside: %s", got)
	}
	if got := alone(t, s, l, act); !strings.Contains(got, `"detail":"65533"`) {
		t.Errorf("inside: %s", got)
	}
}

// Nor do capabilities of a file give it any.
func fileCapabilities(t *testing.T, l level) {
	if !root() {
		t.Skip("only root can give a file capabilities that count outside")
	}
	s := stage(t)
	capable := s.copied(t)
	two := []byte{1, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} // vfs_cap_data: CAP_CHOWN and CAP_DAC_OVERRIDE, effective
	if err := unix.Setxattr(capable, "security.capability", two, 0); err != nil {
		t.Fatal(err)
	}
	act := "spawn " + capable + " read /proc/self/status"
	const nothing = `CapEff:\t0000000000000000`
	if got := outside(t, &syscall.Credential{Uid: 12345, Gid: 12345}, act); !strings.Contains(got, "CapEff:") || strings.Contains(got, nothing) {
		t.Errorf("outside: %s", got)
	}
	// Where no mount is nosuid execve itself refuses: the bounding set has none of them (capabilities(7)).
	if got := alone(t, s, l, act); !strings.Contains(got, nothing) && !strings.Contains(got, "operation not permitted") {
		t.Errorf("inside: %s", got)
	}
}
