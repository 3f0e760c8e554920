package egress_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// slowly is the server at an address, whose answers come late and a few bytes at a time.
func slowly(to string) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		d, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer d.Close()
		go func() {
			io.Copy(d, c)
			d.(*net.TCPConn).CloseWrite()
		}()
		testbed.Span(500 * time.Millisecond)
		for b := make([]byte, 100); ; testbed.Span(2 * time.Millisecond) {
			n, err := d.Read(b)
			if _, failed := c.Write(b[:n]); err != nil || failed != nil {
				return
			}
		}
	}
}

func overTLS(t *testing.T, s *site, port int, k *kit) { s.serveFiles(t, port, k.folder) }

func overHTTP(t *testing.T, s *site, port int, k *kit) {
	s.serve(t, port, oneConn(&http.Server{Handler: http.FileServer(http.Dir(k.folder)), ErrorLog: log.New(io.Discard, "", 0)}))
}

// daemonUser is who servers run as where the tests are root's: those that refuse to run as root.
const daemonUser = 65534

// asUser has a command run as an ordinary user.
func asUser(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: daemonUser, Gid: daemonUser}
	}
	return cmd
}

// prepare runs a script as an ordinary user, in a folder that is given as $0.
func prepare(t *testing.T, k *kit, script string, args ...string) {
	t.Helper()
	cmd := asUser(exec.Command("/bin/sh", append([]string{"-ec", script, k.folder}, args...)...))
	cmd.Dir = k.folder
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// daemon runs a server as an ordinary user until the test's end, and waits until it accepts connections at the address.
// Its end is SIGINT, for a killed PostgreSQL leaves shared memory; what is not over after that is killed.
func daemon(t *testing.T, k *kit, at string, environ []string, command ...string) {
	t.Helper()
	said, err := os.Create(filepath.Join(k.folder, "daemon.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd := asUser(exec.Command(command[0], command[1:]...))
	cmd.Dir, cmd.Stdout, cmd.Stderr = k.folder, said, said
	cmd.Env = append(cmd.Env, environ...)
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pdeathsig = true, unix.SIGINT
	if signal.Ignored(unix.SIGINT) { // as in the background of a shell: a daemon would ignore it too
		signal.Notify(make(chan os.Signal, 1), unix.SIGINT)
	}
	begun, over := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread() // whose end would be the daemon's; PR_SET_PDEATHSIG(2const)
		defer close(over)
		err := cmd.Start()
		begun <- err
		if err == nil {
			cmd.Wait()
		}
	}()
	if err := <-begun; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(unix.SIGINT)
		defer unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		testbed.Receive(t, "the end of "+command[0]+" by SIGINT", over)
	})
	ready := false
	testbed.Await(t, "connections at "+at, func() bool {
		select {
		case <-over:
			return true
		default:
		}
		c, err := net.Dial("tcp", at)
		if ready = err == nil; ready {
			c.Close()
		}
		return ready
	})
	if !ready {
		text, _ := os.ReadFile(said.Name())
		t.Fatalf("%s: %s", command, text)
	}
}

func (s *site) at4(port int) string { return net.JoinHostPort(s.V4.String(), strconv.Itoa(port)) }

func byNode(kind string) func(*testing.T, *site, int, *kit) {
	return func(t *testing.T, s *site, port int, k *kit) {
		daemon(t, k, s.at4(port), []string{"NODE_PATH=" + k.env["NODE_PATH"]}, installed(t, "node"), filepath.Join(k.folder, "servers.js"),
			kind, s.V4.String(), strconv.Itoa(port))
	}
}

// makeRepository makes bare.git in the kit's folder.
func makeRepository(t *testing.T, k *kit) {
	t.Helper()
	prepare(t, k, `git init -q --initial-branch=main work
cd work
git -c user.name=T -c user.email=t@example.com commit -q --allow-empty -m first
git clone -q --bare . ../bare.git
cd ../bare.git
git update-server-info
chmod -R a+rX .`)
}

func repository(t *testing.T, s *site, port int, k *kit) {
	makeRepository(t, k)
	overTLS(t, s, port, k)
}

// server is a program that only servers have, and the word of its want.
func server(t *testing.T, word, pattern string) string {
	t.Helper()
	all, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		testbed.Missing(t, word, "no "+pattern+" on this machine")
	}
	return all[len(all)-1]
}

func overSSH(t *testing.T, s *site, port int, k *kit) {
	sshd := server(t, "sshd", "/usr/sbin/sshd")
	for _, name := range []string{"ssh", "ssh-keygen"} {
		installed(t, name)
	}
	makeRepository(t, k)
	prepare(t, k, `ssh-keygen -q -t ed25519 -N "" -f host
ssh-keygen -q -t ed25519 -N "" -f client
chmod 644 client
cat >sshd_config <<END
ListenAddress $1:$2
HostKey $0/host
AuthorizedKeysFile $0/client.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
END`, s.V4.String(), strconv.Itoa(port))
	daemon(t, k, s.at4(port), nil, sshd, "-D", "-e", "-f", filepath.Join(k.folder, "sshd_config"))
}

func postgres(t *testing.T, s *site, port int, k *kit) {
	program := server(t, "postgres", "/usr/lib/postgresql/*/bin/postgres")
	prepare(t, k, strings.ReplaceAll(`BIN/initdb -D "$0/data" -U tester -A trust -E UTF8 --locale=C --no-sync >/dev/null
echo "host all all all trust" >>"$0/data/pg_hba.conf"`, "BIN", filepath.Dir(program)))
	daemon(t, k, s.at4(port), nil, program, "-D", filepath.Join(k.folder, "data"), "-p", strconv.Itoa(port), "-F", "-c", "listen_addresses="+s.V4.String(),
		"-c", "unix_socket_directories=", "-c", "shared_buffers=1MB", "-c", "max_connections=10")
}

func redis(t *testing.T, s *site, port int, k *kit) {
	daemon(t, k, s.at4(port), nil, installed(t, "redis-server"), "--bind", s.V4.String(), "--port", strconv.Itoa(port), "--save", "",
		"--protected-mode", "no", "--dir", k.folder)
}
