package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A file system that does not answer, at or below a path of the launch, holds up nobody who ends it: whether its daemon
// reads no request or answers none. The line names the path. With a daemon that answers the same is started.
func TestMountThatDoesNotAnswer(t *testing.T) {
	if !testbed.OwnMounts(t) {
		return
	}
	home := t.TempDir()
	for _, folder := range []string{"p/fu", "q", ".ssh", ".npm"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("p/fu", filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("PWD", home+"/q")
	t.Chdir(home + "/q")
	for _, c := range []struct{ at, words string }{
		{"p/fu", "run --allow-write ~/p -- true"},
		{"p/fu", "run --allow-read ~/p/fu --cwd ~/p/fu -- true"},
		{"p/fu", "run --allow-read ~/link -- true"},
		{"p/fu", "run --report ~/p/fu/report -- true"},
		{"p/fu", "run -- ls ~/p/fu/x"},
		{"p/fu", "plan --allow-read ~/p -- true"},
		{"p/fu", "why --path ~/p/fu/x"},
		{"p/fu", "policy check ~/p/fu/policy.json"},
		{".ssh", "run --allow-write ~/q -- true"},
		{"", "run -- true"},
		{"", "doctor"},
	} {
		for _, d := range []testbed.Daemon{testbed.Stopped, testbed.Deserted} {
			refusesAtOnce(t, d, filepath.Join(home, c.at), strings.ReplaceAll(c.words, "~", home))
		}
	}
	for _, c := range []struct {
		d         testbed.Daemon
		at, words string
	}{
		{testbed.Answers, "p/fu", "run --allow-read ~/p -- ls ~/p"},
		{testbed.Answers, "p/fu", "plan --allow-read ~/p -- ls ~/p"},
		// Nothing of the launch leads there.
		{testbed.Deserted, "p/fu", "run --allow-read ~/q -- true"},
		{testbed.Deserted, ".npm", "run --allow-read ~/q -- true"},
		{testbed.Deserted, "p/fu", "version"},
	} {
		end := testbed.Fuse(t, filepath.Join(home, c.at), c.d)
		words := strings.Fields(strings.ReplaceAll(c.words, "~", home))
		if code, out, errs := testbed.Finish(t, testbed.As("mcp-sandbox", words...)); code != 0 {
			t.Errorf("%s: status %d\n%s%s", c.words, code, out, errs)
		}
		end()
	}
}

// refusesAtOnce ends a launch by SIGTERM when something of it waits for the daemon.
func refusesAtOnce(t *testing.T, d testbed.Daemon, at, words string) {
	t.Helper()
	defer testbed.Fuse(t, at, d)()
	var out, errs bytes.Buffer
	cmd := testbed.As("mcp-sandbox", strings.Fields(words)...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, testbed.Patience()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "of "+words+" a process that looks", func() bool {
		left := testbed.Children(cmd.Process.Pid)
		return len(left) > 0 && testbed.Sleeps(left[0]) > 0
	})
	cmd.Process.Signal(syscall.SIGTERM)
	// Wait reads both to their end: nobody holds them.
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 128+15 || strings.Contains(err.Error(), "WaitDelay") {
		t.Errorf("%s: %v\n%s", words, err, errs.String())
	}
	for _, want := range []string{"look at /tmp/", "fuse.test ", "SIGTERM", "umount -l " + at + "`"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%s: no %q in\n%s", words, want, errs.String())
		}
	}
}
