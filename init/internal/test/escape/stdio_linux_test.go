package escape_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// naked is the same act without a sandbox.
func (s *scene) naked(t *testing.T, act string) *exec.Cmd {
	t.Helper()
	return exec.Command(testbed.Self(t, adversaryName), strings.Fields(s.put(act))...)
}

// told runs a command and returns what its one act told.
func told(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var out bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if cmd.Stdout != &out {
		return ""
	}
	all := results(t, out.String())
	if len(all) != 1 {
		t.Fatalf("%q", out.String())
	}
	return all[0].Detail
}

// logFile: what the host wrote there first stays what it was.
func logFile(t *testing.T, l level) {
	const kept = "the host's own line\n"
	s := stage(t)
	for _, c := range []struct {
		fd string
		on func(*exec.Cmd, *os.File)
	}{
		{"1", func(c *exec.Cmd, f *os.File) { c.Stdout = f }}, {"2", func(c *exec.Cmd, f *os.File) { c.Stderr = f }},
	} {
		for _, way := range []struct {
			name string
			cmd  *exec.Cmd
			keep bool
		}{{"inside", s.acting(t, l, "deface "+c.fd), true}, {"outside", s.naked(t, "deface "+c.fd), false}} {
			f, err := os.CreateTemp(s.dir, "log-")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString(kept); err != nil {
				t.Fatal(err)
			}
			if err := f.Chmod(0o666); err != nil {
				t.Fatal(err)
			}
			c.on(way.cmd, f)
			told(t, way.cmd)
			text, err := os.ReadFile(f.Name())
			if err != nil || strings.HasPrefix(string(text), kept) != way.keep {
				t.Errorf("%s, descriptor %s: %q, %v", way.name, c.fd, text, err)
			}
		}
	}
}

// inputFile: a file that is open to be read is not opened to be written. What inside is opened again is the relay's
// pipe.
func inputFile(t *testing.T, l level) {
	s := stage(t)
	for _, way := range []struct {
		cmd  *exec.Cmd
		kept bool
	}{{s.acting(t, l, "deface 0"), true}, {s.naked(t, "deface 0"), false}} {
		f, err := os.Open(s.dir + "/home/key")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		way.cmd.Stdin = f
		got := told(t, way.cmd)
		if text, err := os.ReadFile(f.Name()); err != nil || (string(text) == "a key\n") != way.kept {
			t.Errorf("%s: the file is %q, %v", got, text, err)
		}
	}
}

// inputSocket: no second way to the same socket.
func inputSocket(t *testing.T, l level) {
	s := stage(t)
	cmd := s.acting(t, l, "deface 0")
	cmd.Stdin = session(t)
	if got := told(t, cmd); got != "." {
		t.Errorf("inside: %s", got)
	}
}

// inputInternet: a socket keeps the network namespace in which it was made, so one of the host's would be the host's
// network. A stream stays outside, and the server gets a pipe; what is no stream is not taken. In level network,
// which reaches these addresses by sockets of its own, it is the same.
func inputInternet(t *testing.T, l level) {
	s := stage(t)
	heard, port := listeners(t)
	for _, c := range []struct {
		name, act string
		make      func(t *testing.T) *os.File
		refused   bool
	}{
		{"TCP, IPv4", "anew 0 2 127.0.0.1 ", func(t *testing.T) *os.File { _, f := testbed.Stream(t, "tcp4"); return f }, false},
		{"TCP, IPv6", "anew 0 10 ::1 ", func(t *testing.T) *os.File { _, f := testbed.Stream(t, "tcp6"); return f }, false},
		{"UDP, IPv4", "anew 0 2 127.0.0.1 ", func(t *testing.T) *os.File { return datagrams(t, "127.0.0.1:"+port) }, true},
		{"UDP, IPv6", "anew 0 10 ::1 ", func(t *testing.T) *os.File { return datagrams(t, "[::1]:"+port) }, true},
	} {
		before := heard.Load()
		naked := s.naked(t, c.act+port)
		naked.Stdin = c.make(t)
		if got := told(t, naked); got != "sent" || !hears(heard, before+1) {
			t.Errorf("%s, outside: %s", c.name, got)
		}
		before = heard.Load()
		var out, errs bytes.Buffer
		cmd := s.acting(t, l, c.act+port)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = c.make(t), &out, &errs
		cmd.Run()
		code := cmd.ProcessState.ExitCode()
		if c.refused && (code != 125 || out.Len() > 0 || !strings.Contains(errs.String(), "descriptor 0")) {
			t.Errorf("%s, inside: code %d, %s%s", c.name, code, out.String(), errs.String())
		}
		if !c.refused {
			all := results(t, out.String())
			if code != 0 || len(all) != 1 || all[0].OK || all[0].Errno != "ENOTSOCK" {
				t.Errorf("%s, inside: code %d, %+v\n%s", c.name, code, all, errs.String())
			}
		}
		if n := heardSince(t, heard, port, before); n != 0 {
			t.Errorf("%s: the host heard %d", c.name, n)
		}
	}
}

// datagrams is a socket that sends to an address.
func datagrams(t *testing.T, to string) *os.File {
	t.Helper()
	c, err := net.Dial("udp", to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f, err := c.(*net.UDPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// errorPipe pins the gap: an ordinary user's server opens the host's pipe to read it, root's cannot.
func errorPipe(t *testing.T, l level) {
	s := stage(t)
	cmd := s.acting(t, l, "deface 2")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if got, want := told(t, cmd), !root(); strings.Contains(got, "reopened to read") != want {
		t.Errorf("inside: %s", got)
	}
}

// errorTerminal: the terminal itself is not found again, where Landlock is.
func errorTerminal(t *testing.T, l level) {
	s := stage(t)
	for _, way := range []struct {
		cmd  *exec.Cmd
		want bool
	}{{s.acting(t, l, "deface 2"), landlockABI(t) < 2 && !root()}, {s.naked(t, "deface 2"), true}} {
		tty, err := os.OpenFile(terminal(t), os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer tty.Close()
		way.cmd.Stderr = tty
		if got := told(t, way.cmd); strings.Contains(got, "reopened to read") != way.want {
			t.Errorf("%s", got)
		}
	}
}

// leakedDescriptors: what was open in the launcher, at any number, is not open in the server.
func leakedDescriptors(t *testing.T, l level) {
	s := stage(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []struct {
		program string
		cmd     *exec.Cmd
		leaks   bool
	}{{self, s.acting(t, l, "descriptors"), false}, {"", s.naked(t, "descriptors"), true}} {
		leak := []string{"-c", `exec 7</etc 8<>/dev/null 9</; exec "$@"`, "sh"}
		words := way.cmd.Args
		if way.program != "" {
			leak = append(leak, way.program)
			if l.reduced {
				words = words[1:] // the first is /proc/self/exe, which here is the shell
			}
		}
		cmd := exec.Command("/bin/sh", append(leak, words...)...)
		cmd.Env, cmd.SysProcAttr = way.cmd.Env, way.cmd.SysProcAttr
		got := told(t, cmd)
		if !way.leaks && got != "0 1 2" || way.leaks && !strings.Contains(got, "7 8 9") {
			t.Errorf("open: %s", got)
		}
	}
}
