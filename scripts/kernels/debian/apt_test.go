package debian

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// fakeApt makes apt-get a script that counts its calls in a file and does as told.
func fakeApt(t *testing.T, script string) (calls func() int) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script")
	}
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	text := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> %s\nn=$(wc -l < %s)\n%s\n", count, count, script)
	if err := os.WriteFile(filepath.Join(dir, "apt-get"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	pause := between
	between = time.Millisecond
	t.Cleanup(func() { between = pause })
	return func() int {
		text, err := os.ReadFile(count)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "\n")
	}
}

func TestFirstError(t *testing.T) {
	for said, want := range map[string]string{
		"W: old\nE: no such\nE: more\n": "no such",
		"Err:1 x\nE: last":              "last",
		"dpkg-deb: error: x\nthen\n":    "dpkg-deb: error: x",
		"":                              "",
	} {
		if got := firstError(said); got != want {
			t.Errorf("%q: %q", said, got)
		}
	}
}

// What goes away is waited for, and what does not is told after a bounded number of attempts.
func TestGet(t *testing.T) {
	const locked = "echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)' >&2; exit 100"
	for name, c := range map[string]struct {
		script string
		calls  int
		err    string
	}{
		"at once":        {"exit 0", 1, ""},
		"a moment later": {"[ $n -ge 3 ] || { echo 'E: Connection timed out' >&2; exit 100; }", 3, ""},
		"never":          {"echo 'E: Unable to locate package x' >&2; exit 100", attempts, "Unable to locate package x"},
		"locked":         {"[ $n -ge 9 ] || { " + locked + "; }", 9, ""},
	} {
		calls := fakeApt(t, c.script)
		err := (&apt{}).get(t.Context(), "", "update")
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", name, err)
		}
		if n := calls(); n != c.calls {
			t.Errorf("%s: %d calls, want %d", name, n, c.calls)
		}
	}
}

// A source that is out of reach does not keep back what the lists that are there have.
func TestInstallWithStaleLists(t *testing.T) {
	calls := fakeApt(t, `case "$*" in update*) echo 'E: no Release file' >&2; exit 100;; *nothing*) echo 'E: no package' >&2; exit 100;; esac`)
	if err := Install(t.Context(), "qemu"); err != nil || calls() != attempts+1 {
		t.Errorf("%d calls: %v", calls(), err)
	}
	err := Install(t.Context(), "nothing")
	if err == nil || !strings.Contains(err.Error(), "no package") || !strings.Contains(err.Error(), "no Release file") {
		t.Errorf("neither lists nor package: %v", err)
	}
}
