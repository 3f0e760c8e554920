package pairs_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// Nothing answers once the shim is killed: the server ends, or its calls are ENOSYS, and nothing gets out.
func TestShimKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run, s := w.launch(t)
	io.WriteString(run.Stdin, "after the shim\n")
	begun := func() string {
		b, _ := os.ReadFile(filepath.Join(w.Dir, "said"))
		return string(b)
	}
	testbed.Await(t, "the server's word", func() bool { return strings.Contains(begun(), "connected") })
	if err := unix.Kill(s.shim, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "the server's last word, or its end", func() bool {
		return strings.HasSuffix(begun(), "over\n") || testbed.State(s.server) == "" || testbed.State(s.server) == "Z"
	})
	for _, line := range strings.Fields(begun()) {
		switch line {
		case "connected", "ENOSYS", "EPIPE", "over", "ok":
		default:
			t.Errorf("the server's calls: %s", line)
		}
	}
	if all := w.reached(); len(all) > 0 {
		t.Error("reached:", all)
	}
}

// afterShim makes calls until the shim is gone, and writes their results to a file.
func afterShim(s *server) string {
	f, err := os.Create(filepath.Join(s.Dir, "said"))
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	fd, late := s.echo(), s.tcp()
	io.WriteString(f, "connected\n")
	for echoed(fd) == "ok" {
	}
	_, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	io.WriteString(f, nameOf(err)+"\n"+nameOf(unix.Connect(late, local(s.Forbidden)))+"\n"+
		nameOf(unix.Connect(late, local(s.Echo)))+"\n"+nameOf(unix.Bind(late, local(0)))+"\nover\n")
	return "over"
}

// reported are X17, and what else is told.
func reported() []attack {
	return []attack{
		{name: "not dumpable", act: undumpable, want: "EACCES", control: "ok"},
		{name: "sendmsg, unconnected", act: unconnected, want: "ok"},
		{name: "listen", act: with(unix.SOCK_STREAM, unix.SYS_LISTEN, 1), want: "EACCES", control: "ok"},
	}
}

// No standard stream of the server is a socket of the Internet, whatever the launcher has.
func TestInetStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, err := net.Dial("tcp4", at("127.0.0.1", w.Echo))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	socket, err := c.(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	file := filepath.Join(w.Dir, "streams")
	command := []string{w.command(t)[0], helperIs, "streams", file}
	control := exec.Command(command[0], command[1:]...)
	cmd := host.Launch{Policy: w.doc(), Command: command, Env: host.Env(t)}.Cmd(t)
	testbed.Machine{Lacks: []testbed.Lack{testbed.NoClone}}.Put(t, cmd)
	for _, x := range []*exec.Cmd{control, cmd} {
		x.Stdin, x.Stdout, x.Stderr = socket, socket, socket
	}
	if err := control.Run(); err != nil {
		t.Fatal(err)
	}
	inet := strconv.Itoa(unix.AF_INET) + " "
	if b, err := os.ReadFile(file); string(b) != strings.Repeat(inet, 3) {
		t.Errorf("control: %q, %v", b, err)
	}
	os.Remove(file)
	host.Finish(t, cmd)
	b, err := os.ReadFile(file)
	if words := strings.Fields(string(b)); err != nil || len(words) != 3 || strings.Contains(string(b), inet) {
		t.Errorf("%q, %v", b, err)
	}
}

// streams writes the families of the standard streams, or else their types.
func streams(file string) error {
	text := ""
	for fd := range 3 {
		var is unix.Stat_t
		family, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
		if err != nil {
			if err = unix.Fstat(fd, &is); err != nil {
				return err
			}
			text += fmt.Sprintf("type:%o ", is.Mode&unix.S_IFMT)
			continue
		}
		text += fmt.Sprint(family, " ")
	}
	return os.WriteFile(file, []byte(text), 0o666)
}

// unconnected sends a datagram that is no question, by the call of which the launcher learns no address.
func unconnected(s *server) string {
	_, err := unix.SendmsgN(s.udp(), []byte("a datagram"), nil, local(s.Forbidden), 0)
	return nameOf(err)
}

// A process that the launcher may not look at connects nothing, and that is reported.
func TestReported(t *testing.T) {
	t.Parallel()
	run := sandboxed(t, reported())
	unsandboxed(t, reported())
	var calls []string
	for _, d := range run.Denied {
		calls = append(calls, d.Syscall+" "+d.Errno)
	}
	if b, _ := json.Marshal(calls); string(b) != `["connect EACCES","sendmsg EACCES","listen EACCES"]` {
		t.Errorf("%s\n%s", b, run.Lines)
	}
}
