package transport_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// owned is what a server with a terminal of its own finds: all of it, and no way to type into it.
func (s *screen) owned(size string) {
	s.Helper()
	for _, line := range []string{"open /dev/tty: ok", "foreground: ok", "TIOCSTI: operation not permitted",
		"TIOCSTI with high bits: operation not permitted", "TIOCLINUX: operation not permitted",
		"TIOCLINUX with high bits: operation not permitted", "size " + size} {
		s.wait(line)
	}
}

// A Go host that starts the sandbox's plain Cmd in a pty gives the server that terminal.
func TestTerminalOfHost(t *testing.T) {
	p, err := policy.Parse([]byte(`{"version":1}`))
	if err != nil {
		t.Fatal(err)
	}
	command := serve(t, "terminal")
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: command[0], Args: command[1:]})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	master, err := pty.StartWithSize(sb.Cmd, &pty.Winsize{Rows: 33, Cols: 77})
	if err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, master)
	s.owned("33x77")
	report, err := sb.Report(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.size(12, 34)
	s.wait("signal SIGWINCH")
	s.wait("size 12x34")
	s.typed("hello\n")
	s.wait(`line "hello"`)
	s.typed("\x03")
	s.wait("signal SIGINT")
	s.typed("\x1a")
	testbed.Await(t, "the server's stop", func() bool { return testbed.State(report.PID) == "T" })
	sb.Cmd.Process.Signal(unix.SIGCONT)
	s.wait("signal SIGCONT")
	s.typed("again\n")
	s.wait(`line "again"`)
	s.hangUp()
	within(t, "the end", func() {
		sb.Cmd.Wait()
		if end, err := sb.Wait(ctx); err != nil || end.Cause != "cancelled" {
			t.Errorf("%+v, %v", end, err)
		}
	})
}

// A server that ends because its terminal is lost was cancelled, also where its launcher sees both at once.
func TestTerminalLostWhileStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	command := serve(t, "terminal")
	sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: command[0], Args: command[1:]})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	master, err := pty.StartWithSize(sb.Cmd, &pty.Winsize{Rows: 33, Cols: 77})
	if err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, master)
	s.owned("33x77")
	report, err := sb.Report(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sb.Cmd.Process.Signal(unix.SIGSTOP)
	testbed.Await(t, "the launcher's stop", func() bool { return testbed.State(sb.Cmd.Process.Pid) == "T" })
	s.hangUp()
	testbed.Await(t, "the server's end", func() bool { return testbed.State(report.PID) == "" })
	sb.Cmd.Process.Signal(unix.SIGCONT)
	if end, err := sb.Wait(ctx); err != nil || end.Cause != "cancelled" {
		t.Errorf("%+v, %v", end, err)
	}
	sb.Cmd.Wait()
}

// shell starts a shell with job control in a terminal, as people have one.
func shell(t *testing.T) *screen {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-i")
	cmd.Env = append(os.Environ(), "PS1=$ ", "TERM=dumb", "HISTFILE=", "ENV=")
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 33, Cols: 77})
	if err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, master)
	t.Cleanup(func() {
		s.hangUp()
		cmd.Process.Kill()
		cmd.Wait()
	})
	s.typed("set -m; echo re''ady\n")
	s.wait("ready")
	return s
}

// words quotes a launch for a shell.
func (l launch) words(t *testing.T) string {
	cmd := l.cmd(t)
	var b strings.Builder
	for _, w := range append([]string{cmd.Path}, cmd.Args...) {
		b.WriteString("'" + strings.ReplaceAll(w, "'", `'\''`) + "' ")
	}
	return b.String()
}

// With --tty the server has a terminal, which a person at the other one does not notice: all keys, sizes and jobs work.
func TestTerminalOfItsOwn(t *testing.T) {
	s := shell(t)
	before := s.modes()
	s.typed(launch{Launch: host.Launch{TTY: true, Command: serve(t, "terminal")}}.words(t) + "\n")
	s.owned("33x77")
	if m := s.modes(); m.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) != 0 {
		t.Errorf("the user's terminal is not raw: %x", m.Lflag)
	}
	s.size(12, 34)
	s.wait("signal SIGWINCH")
	s.wait("size 12x34")
	s.typed("hello\r")
	s.wait(`line "hello"`)
	s.typed("\x03")
	s.wait("signal SIGINT")

	for range 3 { // Ctrl-Z ends in the user's shell, and fg comes back
		s.typed("\x1a")
		s.wait("$ ")
		s.typed("echo in the sh''ell; jobs\n")
		s.wait("in the shell")
		s.wait("topped")
		s.size(20, 40)
		s.typed("fg\n")
		s.wait("signal SIGCONT")
		s.typed("again\r")
		s.wait(`line "again"`)
		s.size(21, 41)
		s.wait("size 21x41")
	}
	s.typed("\x04") // end of file
	s.wait("input ended")
	s.wait("$ ")
	s.typed("echo status $?.\n")
	s.wait("status 0.")
	if m := s.modes(); m != before {
		t.Errorf("the user's terminal was %+v, is %+v", before, m)
	}
}

// The user's terminal is given back whatever ends the server.
func TestTerminalIsGivenBack(t *testing.T) {
	for name, script := range map[string]string{
		"kill -9 of the server": `echo here; kill -9 $$`,
		"not executed":          "",
		"killed":                `trap '' TERM; echo here; kill -TERM $PPID; sleep 600`,
	} {
		t.Run(name, func(t *testing.T) {
			master, slave, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer closeAll(master, slave)
			s := newScreen(t, master)
			before := s.modes()
			l := launch{Launch: host.Launch{TTY: true, Command: []string{"/bin/sh", "-c", script}}}
			if script == "" {
				l.Command = []string{"/no such command"}
			}
			cmd := l.cmd(t)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
			cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if script != "" {
				s.wait("here")
			}
			if name == "killed" {
				cmd.Process.Signal(unix.SIGTERM)
			}
			within(t, "the end", func() { cmd.Wait() })
			if cmd.ProcessState.ExitCode() < 127 {
				t.Errorf("exit code %d", cmd.ProcessState.ExitCode())
			}
			if m := s.modes(); m != before {
				t.Errorf("the terminal was %+v, is %+v", before, m)
			}
		})
	}
}

// Without --tty a server has no terminal though its standard input, output and error are one.
func TestNoTerminal(t *testing.T) {
	for name, l := range map[string]launch{"sandbox": {}, "bare": {Bare: true}} {
		t.Run(name, func(t *testing.T) {
			s := shell(t)
			l.Command = serve(t, "terminal")
			words := l.words(t)
			if l.Bare {
				words = strings.Join(l.Command, " ")
			}
			s.typed(words + "\n")
			if l.Bare {
				s.wait("open /dev/tty: ok")
				return
			}
			s.wait("open /dev/tty: no such device or address")
			s.wait("size 33x77")
			s.typed("hello\n")
			s.wait(`line "hello"`)
		})
	}
}
