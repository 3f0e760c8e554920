package shim_test

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// connects is a server that talks over a socket of each type, and tries one that it was not given. On the stream it
// connects twice: in between the host puts another socket in the place of the first.
const connects = `
import errno, os, socket, sys
def connect(kind, name):
    s = socket.socket(socket.AF_UNIX, kind)
    s.connect(sys.argv[1] + "/" + name)
    return s
connect(socket.SOCK_STREAM, "stream").recv(9)
print(connect(socket.SOCK_STREAM, "stream").recv(9).decode())
print(connect(socket.SOCK_SEQPACKET, "packets").recv(9).decode())
connect(socket.SOCK_DGRAM, "datagrams").send(b"sent")
try:
    connect(socket.SOCK_STREAM, "other")
except OSError as e:
    print(errno.errorcode[e.errno])
print(*sorted(os.listdir(sys.argv[1])))
`

// TestAllowedSocketsAreReached: whatever their type, in every level that has a root of its own; the one beside them is
// not there, and one that is put in the place of an allowed one while the server runs is not reached.
func TestAllowedSocketsAreReached(t *testing.T) {
	python := testbed.Python(t)
	for _, level := range []string{"standard", "network", "strict"} {
		t.Run(level, func(t *testing.T) {
			s := build(t, altered.Quiet)
			dir := s.Path("mine")
			fds := altered.ListenAll(t, dir)
			done := make(chan error, 1)
			go func() { done <- serve(fds, dir) }()
			doc := strings.ReplaceAll(altered.AllowedSockets, "STAGE/sockets", "STAGE/mine")
			l := s.Launch(strings.Replace(doc, `"version":1`, `"version":1,"level":"`+level+`"`, 1), "mark")
			l.Command = []string{python, "-c", connects, dir}
			o := altered.Run(t, l)
			want := "old\npacket\nENOENT\ndatagrams packets stream\n"
			if o.Code != 0 || o.Stdout != want {
				t.Fatalf("code %d, %q, want %q\n%s", o.Code, o.Stdout, want, o.Stderr)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			b := make([]byte, 9)
			if n, err := unix.Read(fds["datagrams"], b); err != nil || string(b[:n]) != "sent" {
				t.Errorf("%q, %v", b[:max(n, 0)], err)
			}
			control := exec.Command(python, "-c", `import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])`, dir+"/other")
			if out, err := control.CombinedOutput(); err != nil {
				t.Errorf("the control: %v\n%s", err, out)
			}
		})
	}
}

// serve answers the server's connections, and replaces the stream socket when the first has come.
func serve(fds map[string]int, dir string) error {
	stream, err := listener(fds["stream"])
	if err != nil {
		return err
	}
	defer stream.Close()
	packets, err := listener(fds["packets"])
	if err != nil {
		return err
	}
	defer packets.Close()
	replace := func() error {
		if err := os.Rename(dir+"/stream", dir+"/was"); err != nil {
			return err
		}
		anew, err := net.Listen("unix", dir+"/stream")
		if err != nil {
			return err
		}
		go func() {
			if c, err := anew.Accept(); err == nil {
				c.Write([]byte("new"))
				c.Close()
			}
		}()
		return os.Chmod(dir+"/stream", 0o666)
	}
	for _, step := range []struct {
		from   net.Listener
		before func() error
		text   string
	}{{stream, replace, "go"}, {stream, nil, "old"}, {packets, nil, "packet"}} {
		c, err := step.from.Accept()
		if err == nil && step.before != nil {
			err = step.before()
		}
		if err == nil {
			_, err = c.Write([]byte(step.text))
			c.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func listener(fd int) (net.Listener, error) {
	dup, err := unix.Dup(fd)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(dup), "socket")
	defer f.Close()
	l, err := net.FileListener(f)
	if err == nil {
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		err = l.(*net.UnixListener).SetDeadline(time.Now().Add(testbed.Patience()))
	}
	return l, err
}

// TestSocketThatCannotBeAllowed: where a grant has the family refused, and where the server gets no root of its own.
func TestSocketThatCannotBeAllowed(t *testing.T) {
	for name, c := range map[string]struct{ below, doc, begin, want string }{
		"default read": {altered.Quiet, `{"version":1,"minConfinement":"full","filesystem":{"default":"read","allowWrite":["STAGE/write"]},SOCKET}`, "",
			"the whole host, which filesystem.default read shows, which Landlock restricts from ABI 9"},
		"a grant among sockets": {"", `{"version":1,"minConfinement":"full","filesystem":{"allowRead":["STAGE/read"]},SOCKET}`, "",
			"others in the grant STAGE/read"},
		"reduced": {altered.Quiet, `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},SOCKET}`, "reduced",
			"network.allowUnixSockets STAGE/mine/stream: cannot be held by confinement reduced"},
	} {
		t.Run(name, func(t *testing.T) {
			s := build(t, c.below)
			altered.ListenAll(t, s.Path("mine"))
			l := s.Launch(`{"version":1}`, "mark")
			doc := strings.ReplaceAll(c.doc, "SOCKET", `"network":{"allowUnixSockets":["STAGE/mine/stream"]}`)
			l.Policy, l.Begin, l.ABI = strings.ReplaceAll(doc, "STAGE", s.Dir), c.begin, 8
			o := altered.Run(t, l)
			errs := strings.ReplaceAll(o.Stderr, "\nmcp-sandbox: ", " ")
			if want := strings.ReplaceAll(c.want, "STAGE", s.Dir); o.Code != 125 || s.Ran(&o, "mark") || !strings.Contains(errs, want) {
				t.Errorf("code %d, %q\n%s\nwant %s", o.Code, o.Stdout, errs, want)
			}
		})
	}
}

// TestAllowedSocketAmongOthers: where Landlock restricts them, the others of a folder that is shown are refused.
func TestAllowedSocketAmongOthers(t *testing.T) {
	if abi, err := platform.LandlockABI(); err != nil || abi < 9 {
		testbed.Missing(t, "landlock9", "before Landlock ABI 9 no socket can be allowed beside a grant of its folder")
	}
	python := testbed.Python(t)
	const script = `
import errno, os, socket, sys
for name in "stream", "other":
    try:
        socket.socket(socket.AF_UNIX).connect(sys.argv[1] + "/" + name)
        print("connected")
    except OSError as e:
        print(errno.errorcode[e.errno])
print(*sorted(os.listdir(sys.argv[1])))
`
	for name, filesystem := range map[string]string{"default read": `"default":"read"`, "a read grant": `"allowRead":["STAGE/sockets"]`} {
		t.Run(name, func(t *testing.T) {
			s := build(t, "/var/tmp")
			dir := s.Path("sockets")
			altered.ListenAll(t, dir)
			l := s.Launch(`{"version":1,"filesystem":{`+filesystem+`},"network":{"allowUnixSockets":["STAGE/sockets/stream"]}}`, "mark")
			l.Command = []string{python, "-c", script, dir}
			if o, want := altered.Run(t, l), "connected\nEACCES\ndatagrams other packets stream\n"; o.Code != 0 || o.Stdout != want {
				t.Errorf("code %d, %q, want %q\n%s", o.Code, o.Stdout, want, o.Stderr)
			}
		})
	}
}

// TestReducedWithoutItsSocket starts, since the policy says so, and names what does not hold.
func TestReducedWithoutItsSocket(t *testing.T) {
	s := build(t, altered.Quiet)
	l := s.Launch(altered.Weaker(altered.AllowedSockets, "reduced"), "mark")
	o := altered.Run(t, l)
	if o.Code != 0 || !s.Ran(&o, "mark") || !strings.Contains(o.Stderr, "nothing holds ") ||
		!strings.Contains(o.Stderr, s.Path("sockets/stream")+" and 2 more here") {
		t.Errorf("code %d, %q\n%s", o.Code, o.Stdout, o.Stderr)
	}
}
