package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// A report to what the server writes to could be the server's own work.
func TestSharedReport(t *testing.T) {
	const forge = `echo '{"event":"enforced","confinement":"full"}' >&%d`
	at := func(t *testing.T, how int) func() *os.File {
		path := file(t, "")
		return func() *os.File { return open(t, path, how) }
	}
	for _, c := range []struct {
		name string
		file func(t *testing.T) func() *os.File // opens one thing, as often as it is asked to
	}{
		{"file", func(t *testing.T) func() *os.File { return at(t, unix.O_RDWR|unix.O_APPEND) }},
		{"named pipe", func(t *testing.T) func() *os.File {
			path := filepath.Join(t.TempDir(), "fifo")
			check(t, unix.Mkfifo(path, 0o600))
			return func() *os.File { return open(t, path, unix.O_RDWR) }
		}},
		{"socket", func(t *testing.T) func() *os.File {
			_, theirs := socketpair(t)
			return func() *os.File { return theirs }
		}},
		{"terminal", func(t *testing.T) func() *os.File {
			_, tty := terminal(t)
			return func() *os.File { return open(t, tty.Name(), unix.O_RDWR|unix.O_NOCTTY) }
		}},
	} {
		for std, name := range []string{"input", "output", "error"} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				again := c.file(t)
				report := again()
				cmd := program(t, "--report-fd", "3", "--", "sh", "-c", fmt.Sprintf(forge, std))
				cmd.ExtraFiles = []*os.File{report}
				var errs bytes.Buffer
				cmd.Stderr = &errs
				switch std {
				case 0:
					cmd.Stdin = again()
				case 1:
					cmd.Stdout = again()
				case 2:
					cmd.Stderr = again()
				}
				cmd.Run()
				want := "mcp-sandbox: --report-fd 3: this is the server's standard " + name + ", by which the server could forge the report: " +
					"give the report a file or a pipe of its own; "
				one := strings.HasPrefix(errs.String(), want) && strings.Count(errs.String(), "\n") == 1
				if code := cmd.ProcessState.ExitCode(); code != 125 || std != 2 && !one {
					t.Errorf("got %d, %q, want 125, %q", code, &errs, want)
				}
			})
		}
	}
}

// The controlling terminal has a second name, which has a number of its own.
func TestReportToTheControllingTerminal(t *testing.T) {
	master, tty := terminal(t)
	link := filepath.Join(t.TempDir(), "mcp-sandbox-init")
	check(t, os.Symlink(program(t).Path, link))
	cmd := exec.Command("sh", "-c", `exec "$0" --report-fd 3 -- echo ran 3>/dev/tty`, link)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Run()
	tty.Close()
	text, _ := io.ReadAll(master) // ends with EIO
	if code := cmd.ProcessState.ExitCode(); code != 125 || strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), "standard input") {
		t.Errorf("got %d %q", code, text)
	}
}

// Two terminals are two, and what goes to /dev/null nobody forges.
func TestReportBesideTheServers(t *testing.T) {
	_, mine := terminal(t)
	_, theirs := terminal(t)
	null := open(t, os.DevNull, unix.O_RDWR)
	for _, c := range []struct {
		name        string
		report, std *os.File
	}{{"terminals", mine, theirs}, {"null", null, null}} {
		t.Run(c.name, func(t *testing.T) {
			cmd := program(t, "--report-fd", "3", "--", "true")
			cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = c.std, c.std, c.std, []*os.File{c.report}
			check(t, cmd.Run())
		})
	}
}

func terminal(t *testing.T) (master, tty *os.File) {
	master, tty, err := pty.Open()
	check(t, err)
	t.Cleanup(func() { master.Close(); tty.Close() })
	return master, tty
}

// program is this test binary as the program.
func program(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	check(t, err)
	cmd := exec.Command(self)
	cmd.Args, cmd.Dir = append([]string{"mcp-sandbox-init"}, args...), t.TempDir()
	return cmd
}
