package shim_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// A denial is an act that goes through outside and is refused inside, by an error of the layer that refuses it.
type denial struct {
	name    string
	act     []string // of package attempt
	control []string // the same act where another object has to be named outside; nil: act
	right   bool     // needs a capability: the control has them all, in a user namespace of its own
	errnos  string   // what may come back, in words
	got     string   // where the act is not refused: what must not be in its result, though it is outside
}

func denials(t *testing.T, s stage, udp net.PacketConn) []denial {
	child := sleeper(t)
	tcp := listen(t, "tcp", "127.0.0.1:0")
	abstract := listen(t, "unix", "@"+filepath.Base(s.Dir))
	named := listen(t, "unix", filepath.Join(s.Dir, "home", "socket"))
	if err := os.Chmod(named, 0o777); err != nil {
		t.Fatal(err)
	}
	const changed = "EROFS EACCES"
	ignored := ""
	if abi, err := platform.LandlockABI(); err != nil || abi < 6 { // no scope for signals
		ignored = "nothing: process 1 ignores it, pid_namespaces(7), or what follows would have no results"
	}
	return []denial{
		{name: "read what is not granted", act: []string{"read", s.Path("home/key")}, errnos: "ENOENT"},
		{name: "list the home", act: []string{"list", s.Path("home")}, got: "key"},
		{name: "list the host's temporary files", act: []string{"list", filepath.Dir(s.Dir)}, got: "mcp-sandbox-other"},
		{name: "read a denied file", act: []string{"read", s.Path("read/secret")}, errnos: "EACCES"},
		{name: "read in a denied folder", act: []string{"read", s.Path("read/denied/file")}, errnos: "ENOENT"},
		{name: "list a denied folder", act: []string{"list", s.Path("read/denied")}, got: "file"},
		{name: "stat outside", act: []string{"stat", "/proc/1/root/../" + s.Path("home/key")}, errnos: "ENOENT EACCES EPERM", control: []string{"stat", s.Path("home/key")}},
		{name: "write to a read grant", act: []string{"append", s.Path("read/file")}, errnos: changed},
		{name: "make a file in a read grant", act: []string{"write", s.Path("read/below/new")}, errnos: changed},
		{name: "write to the home", act: []string{"write", s.Path("home/new")}, got: "nothing: see unheard"},
		{name: "write to the system", act: []string{"mkdir", "/usr/new"}, control: []string{"mkdir", s.Path("home/folder")}, errnos: changed},
		{name: "write in a frozen folder", act: []string{"append", s.Path("write/frozen/file")}, errnos: changed},
		{name: "write to .git", act: []string{"append", s.Path("write/.git/config")}, errnos: changed},
		{name: "write to a .git further down", act: []string{"write", s.Path("write/deep/.git/config")}, errnos: changed},
		{name: "rename .git", act: []string{"rename", s.Path("write/.git"), s.Path("write/git")}, errnos: "EBUSY EXDEV"},
		{name: "rename what .git is in", act: []string{"rename", s.Path("write/deep"), s.Path("write/deeper")}, errnos: "EBUSY EXDEV"},
		{name: "link out of the grant", act: []string{"link", s.Path("read/file"), s.Path("write/hard")}, errnos: "EXDEV EACCES"},
		{name: "TCP to the host's loopback", act: []string{"tcp", tcp}, errnos: "ECONNREFUSED"},
		{name: "UDP to the host's loopback", act: []string{"udp", udp.LocalAddr().String()}, got: "nothing: see unheard"},
		{name: "abstract socket of the host", act: []string{"unix", abstract}, errnos: "ECONNREFUSED EPERM EAFNOSUPPORT"},
		{name: "socket in the host's tree", act: []string{"unix", named}, errnos: "ENOENT EAFNOSUPPORT"},
		{name: "see another process", act: []string{"processes", "4731.25s"}, got: "pid"},
		{name: "signal another process", act: []string{"kill", child}, errnos: "ESRCH"},
		{name: "signal init", act: []string{"kill", "1", "9"}, control: []string{"kill", child}, errnos: "EPERM ESRCH", got: ignored},
		{name: "trace init", act: []string{"ptrace", "1"}, control: []string{"ptrace", child}, errnos: "EPERM"},
		{name: "user namespace by clone", act: []string{"userns", "clone"}, errnos: "EPERM ENOSPC"},
		{name: "user namespace by unshare", act: []string{"userns", "unshare"}, errnos: "EPERM ENOSPC"},
		{name: "the right to mount", act: []string{"may-mount"}, right: true, errnos: "EPERM"},
		{name: "mount", act: []string{"mount", "/tmp"}, right: true, errnos: "EPERM"},
		{name: "become another", act: []string{"setuid", "0"}, right: true, errnos: "EPERM EINVAL"},
		{name: "the session keyring", act: []string{"keyctl"}, errnos: "EPERM"},
		{name: "a raw socket of the link layer", act: []string{"socket", "17", "3", "0"}, right: true, errnos: "EPERM EACCES EAFNOSUPPORT"},
		{name: "a socket of MPTCP", act: []string{"socket", "2", "1", "262"}, errnos: "EPERM EACCES EAFNOSUPPORT EPROTONOSUPPORT"},
		{name: "io_uring", act: syscallOf(unix.SYS_IO_URING_SETUP, 0, 0), control: syscallOf(unix.SYS_GETPID), errnos: "EPERM ENOSYS"},
		{name: "personality", act: syscallOf(unix.SYS_PERSONALITY, 0x20), errnos: "EPERM"},
		{name: "open by handle", act: syscallOf(unix.SYS_KCMP, 1, 1, 0, 0, 0), control: syscallOf(unix.SYS_GETPPID), errnos: "EPERM ENOSYS"},
		{name: "more open files", act: syscallOf(unix.SYS_DUP3, 0, 1<<10, 0), errnos: "EBADF"},
	}
}

func syscallOf(words ...int) []string {
	all := []string{"syscall"}
	for _, w := range words {
		all = append(all, strconv.Itoa(w))
	}
	return all
}

// Each act goes through outside of the sandbox and is refused in it, by the same program.
func TestDenials(t *testing.T) {
	probe := testbed.Program(t, "probe")
	for _, below := range []string{"/var/tmp", ""} {
		s := build(t, below)
		for _, name := range []string{"home/key", "../mcp-sandbox-other-" + filepath.Base(s.Dir)} {
			if err := os.WriteFile(s.Path(name), []byte("a key\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Remove(s.Path(name)) })
		}
		udp, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer udp.Close()
		all := denials(t, s, udp)
		var words []string
		for _, d := range all {
			words = append(append(words, "--"), d.act...)
		}
		doc := strings.Replace(altered.Standard, `"seccomp":{"deny":["getcwd"]}`, `"cwd":"/"`, 1)
		l := s.Launch(doc, "")
		l.Command = append([]string{probe}, words...)
		o := altered.Run(t, l)
		inside := results(t, o.Stdout)
		if len(inside) != len(all) {
			t.Fatalf("%d results of %d: code %d\n%s\n%s", len(inside), len(all), o.Code, o.Stdout, o.Stderr)
		}
		unheard(t, s, udp)
		for i, d := range all {
			t.Run(d.name, func(t *testing.T) {
				d.compare(t, s, probe, inside[i])
			})
		}
	}
}

// unheard looks for what reached the host of the acts that are not refused, because they stay inside.
func unheard(t *testing.T, s stage, udp net.PacketConn) {
	t.Helper()
	if _, err := os.Stat(s.Path("home/new")); err == nil {
		t.Error("the file that the server made is in the host's home")
	}
	udp.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if n, from, err := udp.ReadFrom(make([]byte, 64)); err == nil {
		t.Errorf("a datagram of %d bytes came from %v", n, from)
	}
}

func (d *denial) compare(t *testing.T, s stage, probe string, in attempt.Result) {
	if d.got == "" && (in.OK || !slices.Contains(strings.Fields(d.errnos), in.Errno)) {
		t.Errorf("inside: %+v, want %s", in, d.errnos)
	}
	words := d.control
	if words == nil {
		words = d.act
	}
	cmd := exec.Command(probe, words...)
	cmd.Dir = s.Dir
	if d.right {
		cmd.SysProcAttr = testbed.EveryRight(unix.CLONE_NEWNS | unix.CLONE_NEWNET)
		if words[0] == "mount" {
			cmd.Args[2] = s.Path("home")
		}
	}
	out := testbed.Attempts(t, cmd)
	if len(out) != 1 || !out[0].OK && out[0].Errno != "ENOKEY" || !strings.Contains(out[0].Detail, d.mark()) {
		t.Errorf("outside it does not go through either: %+v", out)
	}
	if d.got != "" && strings.Contains(in.Detail, d.got) && in.OK {
		t.Errorf("inside: %+v", in)
	}
	undo(s, words)
}

// mark is what the control shows and the sandbox must not.
func (d *denial) mark() string {
	if strings.HasPrefix(d.got, "nothing") {
		return ""
	}
	return d.got
}

// undo takes back what a control did to the stage, for the controls after it.
func undo(s stage, words []string) {
	switch words[0] {
	case "rename":
		os.Rename(words[2], words[1])
	case "mkdir":
		os.Remove(words[1])
	}
}

func results(t *testing.T, text string) []attempt.Result {
	t.Helper()
	all, err := attempt.Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return all
}

// sleeper is the process id of a process that says so in its command line.
func sleeper(t *testing.T) string {
	t.Helper()
	return strconv.Itoa(testbed.Background(t, exec.Command(testbed.Program(t, "probe"), "sleep", "4731.25s")))
}

// listen takes connections until the test ends, and returns where.
func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 64)) // what the probe says, or it would see a broken pipe
			c.Close()
		}
	}()
	return l.Addr().String()
}
