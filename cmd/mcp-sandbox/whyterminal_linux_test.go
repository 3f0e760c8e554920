package main

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// openPTY is a terminal of a size.
func openPTY(t *testing.T, columns uint16) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close() })
	fd := int(ours.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err == nil {
		theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

// On a terminal no line of why is wider than that, colours are there unless NO_COLOR is set, and in a pipe there are
// none and no name is divided.
func TestWhyOnATerminal(t *testing.T) {
	k := newKeeper(t)
	long := strings.Repeat("very-long-name.", 16) + "example"
	report := k.home + "/r"
	denied := func(host string) string {
		return `{"event":"denied","layer":"network","kind":"name","host":"` + host + `","flag":"--allow-domain ` + host + `"}` + "\n"
	}
	text := `{"event":"enforced","version":1,"id":"0f","command":["x"]}` + "\n" + denied("a.example") + denied(long) + denied(`\u001b]0;x\u0007`) + denied(strings.Repeat("漢", 2000)) +
		`{"event":"exited","id":"0f","cause":"exit"}` + "\n"
	if err := os.WriteFile(report, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		columns  uint16
		env      string
		coloured bool
	}{{80, "", true}, {40, "", true}, {20, "", true}, {5, "", true}, {80, "NO_COLOR=1", false}, {80, "TERM=dumb", false}} {
		ours, theirs := openPTY(t, c.columns)
		cmd := k.command("why", report)
		cmd.Env, cmd.Stdout = append(cmd.Env, c.env), theirs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		theirs.Close()
		out, _ := io.ReadAll(ours) // EIO at the end
		cmd.Wait()
		if cmd.ProcessState.ExitCode() != 1 || bytes.Contains(out, []byte("\x1b[")) != c.coloured || bytes.Contains(out, []byte("\x1b]")) {
			t.Errorf("%+v: %d\n%q", c, cmd.ProcessState.ExitCode(), out)
		}
		plain := strings.NewReplacer("\x1b[m", "", "\x1b[1m", "", "\x1b[32m", "", "\x1b[31m", "", "\x1b[33m", "").Replace(string(out))
		for line := range strings.SplitSeq(plain, "\r\n") {
			if n := utf8.RuneCountInString(line) + strings.Count(line, "漢"); n > int(c.columns) {
				t.Errorf("%+v: %d columns: %q", c, n, line)
			}
		}
		if c.columns == 80 && !strings.Contains(plain, "  1x  a.example   no entry allows this name.  --allow-domain a.example\r\n") {
			t.Errorf("%q", plain)
		}
	}
	cmd := k.command("why", report)
	out, _ := cmd.Output()
	if lines := strings.Split(string(out), "\n"); bytes.Contains(out, []byte{0x1b}) || !slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, "--allow-domain "+long) }) {
		t.Errorf("%q", out)
	}
}
