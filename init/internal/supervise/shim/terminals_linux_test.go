package shim_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// touchTerminals does to each terminal of a server's what would outlive the server. The exit code says whether the mode
// was changed, and TIOCEXCL and TIOCNXCL had the errno that the test expects.
func touchTerminals(errno string) {
	for fd := range 3 {
		modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			continue
		}
		modes.Lflag &^= unix.ECHO
		_, _, another := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCNXCL, 0)
		_, _, only := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCEXCL, 0)
		for step, err := range []error{unix.Fchown(fd, -1, os.Getegid()), unix.Fchmod(fd, 0o666),
			unix.IoctlSetTermios(fd, unix.TCSETS, modes)} {
			if err != nil {
				os.Exit(20 + step)
			}
		}
		if want, _ := strconv.Atoi(errno); int(only) != want || int(another) != want {
			os.Exit(30)
		}
	}
	os.Exit(9)
}

// A line is a terminal of which a launch gets the slave.
type line struct {
	master, slave *os.File
	before        looks
}

// looks are what a server could leave otherwise than it was.
type looks struct {
	mode, gid uint32
	only      int
	echo      uint32
}

func newLine(t *testing.T) *line {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close(); slave.Close() })
	if err := slave.Chmod(0o620); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // or the mode is not the server's to change
		if err := slave.Chown(65533, -1); err != nil {
			t.Fatal(err)
		}
	}
	l := &line{master: master, slave: slave}
	l.before = l.looks(t)
	return l
}

func (l *line) looks(t *testing.T) (s looks) {
	t.Helper()
	var st unix.Stat_t
	fd := int(l.slave.Fd())
	err := unix.Fstat(fd, &st)
	if err == nil {
		s.mode, s.gid = st.Mode&0o7777, st.Gid
		s.only, err = unix.IoctlGetInt(fd, unix.TIOCGEXCL)
	}
	if err == nil {
		var modes *unix.Termios
		if modes, err = unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
			s.echo = modes.Lflag & unix.ECHO
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// open opens a line's slave once more.
func (l *line) open(t *testing.T, how int) *os.File {
	t.Helper()
	f, err := os.OpenFile(l.slave.Name(), how|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// What a server does to a terminal that it was handed is undone when it has ended, whichever of its standard descriptors
// are that terminal, or another, and however the host had opened it. Modes of input and output are put back where the
// terminal is all three: of one that is less another program may have changed them meanwhile, as the reader behind a
// pipe does that shows page by page.
func TestEachTerminalIsAsItWas(t *testing.T) {
	const full, privileged = `{"version":1}`, `{"version":1,"level":"privileged","minConfinement":"none"}`
	for _, c := range []struct {
		policy, on string // a line for each descriptor
		how        int
		errno      unix.Errno
	}{
		{full, "-a-", unix.O_RDWR, unix.EPERM}, {full, "-a-", unix.O_WRONLY, unix.EPERM}, {full, "a--", unix.O_RDWR, unix.EPERM},
		{full, "a--", unix.O_RDONLY, unix.EPERM}, {full, "--a", unix.O_WRONLY, unix.EPERM}, {full, "-aa", unix.O_RDWR, unix.EPERM},
		{full, "aa-", unix.O_RDWR, unix.EPERM}, {full, "a-b", unix.O_RDWR, unix.EPERM}, {full, "-ab", unix.O_RDWR, unix.EPERM},
		{full, "aba", unix.O_RDWR, unix.EPERM}, {full, "aaa", unix.O_RDWR, unix.EPERM},
		{privileged, "-a-", unix.O_WRONLY, 0}, {privileged, "aba", unix.O_RDWR, 0}, {privileged, "--a", unix.O_RDWR, 0},
	} {
		t.Run(fmt.Sprint(c.on, c.how, c.errno), func(t *testing.T) {
			lines := map[byte]*line{}
			var given [3]*os.File
			for fd := range 3 {
				name := c.on[fd]
				if name == '-' {
					continue
				}
				if lines[name] == nil {
					lines[name] = newLine(t)
				}
				given[fd] = lines[name].open(t, c.how)
			}
			s := build(t, "/var/tmp")
			l := s.flooding(t, c.policy, "terminals", strconv.Itoa(int(c.errno)))
			l.Prepare = func(cmd *exec.Cmd) {
				if given[1] != nil {
					cmd.Stdout = given[1]
				}
				if given[2] != nil {
					cmd.Stderr = given[2]
				}
			}
			stdin, w := altered.Pipe(t)
			w.Close()
			if given[0] != nil {
				stdin = given[0]
			}
			_, _, done := altered.Start(t, l, stdin)
			if o := done(); o.Code != 9 {
				t.Fatalf("code %d: the server could not do it\n%s", o.Code, o.Stderr)
			}
			for name, line := range lines {
				line.wasPutBack(t, string(name), c.on == "aaa")
			}
		})
	}
}

// wasPutBack compares a line with what it was. A user who is not of the terminal's group cannot give it back to that: its
// rights are taken away then.
func (l *line) wasPutBack(t *testing.T, name string, echoes bool) {
	t.Helper()
	want, got := l.before, l.looks(t)
	if !echoes {
		want.echo = 0
	}
	if got.gid != want.gid && os.Geteuid() != 0 {
		want.gid, want.mode = got.gid, want.mode&^0o070
	}
	if got != want {
		t.Errorf("line %s was %+v, is %+v, is to be %+v", name, l.before, got, want)
	}
}
