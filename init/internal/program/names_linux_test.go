package program

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLineNames pins real calls, which print the same on every architecture.
func TestLineNames(t *testing.T) {
	p := New(small())
	p.Layer("root")
	fd := p.Do(unix.SYS_OPENAT, Int(unix.AT_FDCWD), Str("/usr"), Int(unix.O_PATH))
	p.Do(unix.SYS_CLOSE, fd.Result())
	absent := p.AskFor(Errno(syscall.ENOENT), unix.SYS_STATX, Int(unix.AT_FDCWD), Str("/boot"), Int(0), Int(0), Ref(p.Space(256)))
	p.AskFor(Errno(4000), unix.SYS_GETPID)
	p.ran(fd, 3)
	p.ran(absent, -int64(syscall.ENOENT))
	golden(t, "line-linux.golden", listing(p, p.Copy()))
}

// TestNames holds that each name is its constant's, and that every call in the rows has one: a report names calls.
func TestNames(t *testing.T) {
	source, err := os.ReadFile("names_linux.go")
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for _, m := range regexp.MustCompile(`case unix\.SYS_(\w+):\s+return "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		if named[m[1]] = true; strings.ToLower(m[1]) != m[2] {
			t.Errorf("SYS_%s is called %s", m[1], m[2])
		}
	}
	if len(named) < 60 || len(named) != strings.Count(string(source), "case unix.SYS_") {
		t.Errorf("%d names read in names_linux.go", len(named))
	}
	rows, err := filepath.Glob("../rows/*.go")
	if err != nil || len(rows) == 0 {
		t.Fatalf("no rows: %v", err)
	}
	for _, file := range rows {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bunix\.SYS_(\w+)`).FindAllStringSubmatch(string(text), -1) {
			if !named[m[1]] {
				t.Errorf("%s makes SYS_%s, which has no name in names_linux.go", filepath.Base(file), m[1])
			}
		}
	}
	if got := Name(99999); got != "syscall 99999" {
		t.Error(got)
	}
}
