package shim_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// A socketpair that a server was handed is of the host's network namespace. The server can give it a name there, once, and
// nothing comes of it: it is connected, so nobody else can be, and it can neither listen nor lead elsewhere.
func TestNameOfAHandedSocket(t *testing.T) {
	const server = `import errno, os, socket, sys
s, name = socket.socket(fileno=0), "\0" + sys.argv[1]
said = []
for what, act in ("bind", lambda: s.bind(name)), ("again", lambda: s.bind(name + "x")), ("listen", lambda: s.listen(1)), ("connect", lambda: s.connect(name + "host")):
    try:
        act()
        said.append(what + " ok")
    except OSError as e:
        said.append(what + " " + errno.errorcode[e.errno])
s.sendall((", ".join(said) + "\n").encode())
s.recv(1)
`
	const want = "bind ok, again EINVAL, listen EINVAL, connect EISCONN"
	python := testbed.Python(t)
	for _, confinement := range []string{"full", "reduced", "limits"} {
		for kind, number := range map[string]int{"stream": unix.SOCK_STREAM, "seqpacket": unix.SOCK_SEQPACKET} {
			t.Run(confinement+"/"+kind, func(t *testing.T) {
				name := "mcp-sandbox-handed-" + strconv.Itoa(os.Getpid()) + "-" + confinement + "-" + kind
				network := map[string]string{"stream": "unix", "seqpacket": "unixpacket"}[kind]
				l, err := net.Listen(network, "@"+name+"host")
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				own, theirs := testbed.Pair(t, number)
				type seen struct {
					said    string
					reached error
				}
				done := make(chan seen, 1)
				go func() {
					defer own.Close()
					var b [200]byte
					n, _ := own.Read(b[:])
					c, err := net.Dial(network, "@"+name)
					if err == nil {
						c.Close()
					}
					done <- seen{strings.TrimSpace(string(b[:n])), err}
				}()
				o := altered.Run(t, launch{Launch: host.Launch{Policy: altered.Weaker(`{"version":1}`, confinement), Command: []string{python, "-c", server, name}, Begin: confinement},
					Env: []string{"PATH=/usr/bin:/bin", "HOME=/nowhere/home"}, Dir: "/", Prepare: func(cmd *exec.Cmd) { cmd.Stdin = theirs }})
				if o.Code != 0 {
					t.Fatalf("code %d: %s", o.Code, o.Stderr)
				}
				got := <-done
				if got.said != want || !errors.Is(got.reached, syscall.ECONNREFUSED) {
					t.Errorf("the server: %q, want %q; who connects to the name: %v", got.said, want, got.reached)
				}
			})
		}
	}
}
