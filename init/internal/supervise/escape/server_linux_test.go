package escape_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// alone runs one act in a sandbox of its own and returns what it told.
func alone(t *testing.T, s, act string) string {
	t.Helper()
	command := append([]string{testbed.Program(t, "escape")}, strings.Fields(act)...)
	stdout, stderr, code := launch(t, strings.ReplaceAll(doc, "STAGE", s), s+"/home", command...)
	all := results(t, stdout)
	if code != 0 || len(all) != 1 {
		t.Fatalf("code %d, %q, %s", code, stdout, stderr)
	}
	return all[0].Detail
}

// outside does the same without a sandbox, as an ordinary user if by is not nil.
func outside(t *testing.T, by *syscall.Credential, act string) string {
	t.Helper()
	cmd := exec.Command(testbed.Program(t, "escape"), strings.Fields(act)...)
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
func TestPrivateFoldersFill(t *testing.T) {
	s := stage(t)
	for _, first := range []string{"/tmp " + s + "/home /dev/shm", "/dev/shm " + s + "/home /tmp"} {
		if got := number(t, alone(t, s, "fill 64 "+first)); got < 1 || got > 8 {
			t.Errorf("%d MiB fitted in 8 MiB", got)
		}
		if got := number(t, alone(t, s, "fill-inodes 4000 "+first)); got < 100 || got > 8<<20/(16<<10) {
			t.Errorf("%d files fitted in %d inodes", got, 8<<20/(16<<10))
		}
	}
	if got := outside(t, nil, "fill 64 "+s+"/home"); got != "64" {
		t.Errorf("outside %s MiB", got)
	}
	if got := outside(t, nil, "fill-inodes 4000 "+s+"/home"); got != "4000" {
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

// A signal to every process reaches the server's own and no other: the control is that the server's own child dies of it.
func TestSignalToAll(t *testing.T) {
	s := stage(t)
	pid := number(t, sleeper(t, testbed.Program(t, "escape")))
	if got := alone(t, s, "kill-all"); got != "signal: killed" {
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

// A program with the set-user-ID bit makes nobody root inside.
func TestSetuidProgram(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make one that says anything")
	}
	s := stage(t)
	text, err := os.ReadFile(testbed.Program(t, "escape"))
	if err != nil {
		t.Fatal(err)
	}
	suid := filepath.Join(s, "read/suid")
	if err := os.WriteFile(suid, text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(suid, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	act := "spawn " + suid + " call " + strconv.Itoa(syscall.SYS_GETEUID)
	if got := outside(t, &syscall.Credential{Uid: 12345, Gid: 12345}, act); !strings.Contains(got, `"detail":"0"`) {
		t.Errorf("outside: %s", got)
	}
	if got := alone(t, s, act); !strings.Contains(got, `"detail":"65533"`) {
		t.Errorf("inside: %s", got)
	}
}

// A 32-bit ELF for i386 that asks for nothing but its end is killed by its first call.
func TestForeignProgram(t *testing.T) {
	s := stage(t)
	name := filepath.Join(s, "read/i386")
	if err := os.WriteFile(name, i386(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(name).Run(); err != nil {
		t.Logf("no control: this machine runs no i386 program: %v", err)
	}
	got := alone(t, s, "spawn "+name)
	if !strings.Contains(got, "bad system call") && !strings.Contains(got, "exec format error") {
		t.Errorf("inside: %q", got)
	}
}

// i386 is exit(0) by int 0x80.
func i386() []byte {
	code := []byte{0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80}
	const base, head = 0x8048000, 52 + 32
	le := binary.LittleEndian
	b := []byte("\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	b = le.AppendUint16(le.AppendUint16(b, 2), 3) // ET_EXEC, EM_386
	for _, v := range []uint32{1, base + head, 52, 0, 0} {
		b = le.AppendUint32(b, v)
	}
	for _, v := range []uint16{52, 32, 1, 0, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	size := uint32(head + len(code))
	for _, v := range []uint32{1, 0, base, base, size, size, 5, 0x1000} {
		b = le.AppendUint32(b, v)
	}
	return append(b, code...)
}
