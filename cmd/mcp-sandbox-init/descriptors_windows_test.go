package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/windows"
)

const windowsPolicy = `{"version":1,"env":{"FROM":"policy"},"limits":{"pids":40}}`

// handed is a pipe whose one end the program is to inherit, and what is done with the other.
func handed(t *testing.T, write bool) (theirs, ours *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	check(t, err)
	theirs, ours = r, w
	if write {
		theirs, ours = w, r
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	check(t, windows.SetHandleInformation(windows.Handle(theirs.Fd()), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT))
	return theirs, ours
}

// A handle's value is a descriptor, as a host has it that knows no C runtime.
func TestHandleValues(t *testing.T) {
	policy, w := handed(t, false)
	report, r := handed(t, true)
	w.WriteString(windowsPolicy)
	w.Close()
	self, err := os.Executable()
	check(t, err)
	cmd := exec.Command(self)
	cmd.Args = []string{"mcp-sandbox-init", "--policy-fd", number(policy), "--report-fd", number(report), "--", "cmd", "/c", "echo %FROM%"}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(policy.Fd()), syscall.Handle(report.Fd())}}
	var out, errs, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	check(t, cmd.Start())
	report.Close()
	_, err = told.ReadFrom(r)
	check(t, err)
	if err := cmd.Wait(); err != nil || strings.TrimSpace(out.String()) != "policy" {
		t.Errorf("%v, said %q\n%s", err, out.String(), errs.String())
	}
	if s := told.String(); !strings.HasPrefix(s, `{"event":"enforced"`) || strings.Count(s, "\n") != 2 {
		t.Errorf("report %q", s)
	}
}

// What the program was not handed is none of its descriptors.
func TestHandlesOfItsOwn(t *testing.T) {
	policy, _ := handed(t, false)
	check(t, windows.SetHandleInformation(windows.Handle(policy.Fd()), windows.HANDLE_FLAG_INHERIT, 0))
	self, err := os.Executable()
	check(t, err)
	for _, fd := range []string{"77", number(policy)} {
		cmd := exec.Command(self)
		cmd.Args = []string{"mcp-sandbox-init", "--policy-fd", fd, "--", "cmd", "/c", "echo ran"}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 125 || strings.Contains(string(out), "ran\r") {
			t.Errorf("--policy-fd %s: %v\n%s", fd, err, out)
		}
	}
}

func number(f *os.File) string { return strconv.FormatUint(uint64(f.Fd()), 10) }

// Descriptor 3 of the C runtime, as Node.js hands it over.
func TestCRTDescriptor(t *testing.T) {
	policy, w := handed(t, false)
	out, r := handed(t, true)
	w.WriteString(windowsPolicy)
	w.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	check(t, err)
	defer null.Close()
	check(t, windows.SetHandleInformation(windows.Handle(null.Fd()), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT))
	self, err := os.Executable()
	check(t, err)
	process, err := startCRT(self, `mcp-sandbox-init --policy-fd 3 -- cmd /c "echo %FROM%"`, []*os.File{null, out, null, policy})
	check(t, err)
	defer windows.CloseHandle(process)
	out.Close()
	var said bytes.Buffer
	_, err = said.ReadFrom(r)
	check(t, err)
	if strings.TrimSpace(said.String()) != "policy" {
		t.Errorf("said %q", said.String())
	}
}

// A report to the file that the server writes to could be the server's own work.
func TestSharedReportHandle(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	check(t, err)
	defer file.Close()
	check(t, windows.SetHandleInformation(windows.Handle(file.Fd()), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT))
	self, err := os.Executable()
	check(t, err)
	cmd := exec.Command(self)
	cmd.Args = []string{"mcp-sandbox-init", "--report-fd", number(file), "--", "cmd", "/c", "echo ran"}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(file.Fd())}}
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = file, &errs
	cmd.Run()
	if cmd.ProcessState.ExitCode() != 125 || !strings.Contains(errs.String(), "standard output") {
		t.Errorf("got %d %q", cmd.ProcessState.ExitCode(), &errs)
	}
}
