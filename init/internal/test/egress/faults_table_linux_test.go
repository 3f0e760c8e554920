package egress_test

import (
	"net/netip"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// made are sockets of this process that acts leave to acts after them.
var made []int

// sockets makes so many sockets that are not connected.
func sockets(r *result, words []string) error {
	n, err := strconv.Atoi(words[0])
	kind := unix.SOCK_STREAM
	if len(words) > 1 {
		kind = unix.SOCK_DGRAM
	}
	for err == nil && len(made) < n {
		var fd int
		if fd, err = unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0); err == nil {
			made = append(made, fd)
		}
	}
	r.Count = int64(len(made))
	return err
}

// shut closes the sockets.
func shut(*result, []string) error {
	for _, fd := range made {
		unix.Close(fd)
	}
	made = nil
	return nil
}

// begin connects the sockets and writes to each, which takes no descriptor.
func begin(r *result, words []string) error {
	to, err := netip.ParseAddrPort(words[0])
	if err != nil {
		return err
	}
	for _, fd := range made {
		err = unix.Connect(fd, &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())})
		if err == nil {
			_, err = unix.Write(fd, []byte("x"))
		}
		if err != nil {
			return err
		}
		r.Count++
	}
	return nil
}

// echoes waits for what the other side of each socket sends back, and counts the bytes. An error of one is in All.
func echoes(r *result, _ []string) error {
	for _, fd := range made {
		limit := unix.NsecToTimeval(patience.Nanoseconds())
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
			return err
		}
		n, err := unix.Read(fd, make([]byte, 1))
		if r.Count += int64(max(n, 0)); err != nil {
			r.All = append(r.All, errorName(err))
		}
		unix.Close(fd)
	}
	made = nil
	return nil
}

// fileMaxEnv says that this machine is a throw-away one, in which fs.file-max may be set; proc_sys_fs(5).
const fileMaxEnv = "MCP_SANDBOX_TEST_FILE_MAX"

// The machine's table of open files is full: what cannot be accepted is told, connections wait while the launcher
// sleeps, and are carried when there is room again.
func TestFullTableOfFiles(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can set fs.file-max")
	}
	if os.Getenv(fileMaxEnv) == "" {
		testbed.Missing(t, "file_max", "fs.file-max is the machine's: only in a virtual machine, with "+fileMaxEnv)
	}
	const path = "/proc/sys/fs/file-max"
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { set(before) })
	s := newSite(t, "full-table.example.com").serve(t, 7, echo)
	at := s.V4.String() + ":7"
	const ordinary = "12345" // what has CAP_SYS_ADMIN is not bound by the limit
	l := launch{network: network{Allowed: []string{at}},
		Prefix: []string{"/usr/bin/setpriv", "--reuid", ordinary, "--regid", ordinary, "--clear-groups"}}
	run := l.session(t, act("sockets", "20"), act("wait"), act("begin", at), act("wait"), act("echoes"), act("crowd", at, "20"))
	run.good()
	set([]byte("1"))
	run.release()
	if r := run.good(); r.Count != 20 {
		t.Errorf("%s", r)
	}
	run.idle("without room in the table")
	if n := s.Accepted.Load(); n != 0 {
		t.Errorf("%d connections went out without room in the table", n)
	}
	set(before)
	run.release()
	r := run.good()
	if refused := int64(len(r.All)); r.Count == 0 || r.Count+refused != 20 ||
		slices.ContainsFunc(r.All, func(name string) bool { return name != "ECONNRESET" }) {
		t.Errorf("of 20 connections that waited: %s", r)
	}
	if r := run.good(); r.Count != 20 {
		t.Errorf("20 connections with room in the table: %s", r)
	}
	run.end().told(t, denied{Kind: "limit", Asked: "this machine can open no more files (sysctl fs.file-max): connections were reset, or wait"})
}
