package platform

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

// TestMain is also a program that says what it takes for its user's word and home.
func TestMain(m *testing.M) {
	value, set := os.LookupEnv("WORD_TEST")
	if !set {
		os.Exit(m.Run())
	}
	for strconv.Itoa(os.Getppid()) == os.Getenv("WORD_PARENT") { // which is ending
		runtime.Gosched()
	}
	environment.users = false // as package testbed has it, which other tests here import
	os.Stdout.WriteString(strconv.FormatBool(IsUsers("WORD_TEST", value)))
}

// A variable counts where the parent was started with the same value, and nowhere else.
func TestIsUsers(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const apart = "unshare --user --map-root-user --pid --fork "
	for _, c := range []struct {
		name, script, variable string // of the parent
		want                   bool
		needs                  string
	}{
		{"the parent's own", `"$0"; exit $?`, "WORD_TEST=a", true, ""},
		{"empty", `"$0"; exit $?`, "WORD_TEST=", true, ""},
		{"another value", `WORD_TEST=b "$0"; exit $?`, "WORD_TEST=a", false, ""},
		{"the beginning of the parent's", `WORD_TEST=b "$0"; exit $?`, "WORD_TEST=bc", false, ""},
		{"in the parent's value", `WORD_TEST=b "$0"; exit $?`, "OTHER=WORD_TEST=b", false, ""},
		{"a parent that has ended", `WORD_PARENT=$$ "$0" & exit 0`, "WORD_TEST=a", false, ""},
		{"a parent of another user", `setpriv --reuid 12345 --regid 12345 --clear-groups /proc/self/fd/3; exit $?`, "WORD_TEST=a", false, "root"},
		{"no parent", "exec " + apart + `env WORD_TEST=b "$0"`, "OTHER=", true, apart + "true"},
	} {
		switch {
		case c.needs == "root" && os.Geteuid() != 0,
			c.needs != "" && c.needs != "root" && exec.Command("/bin/sh", "-c", c.needs).Run() != nil:
			t.Log("not tried: " + c.name)
			continue
		}
		cmd := exec.Command("/bin/sh", "-c", `exec 3<"$0"; `+c.script, self)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), c.variable}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != strconv.FormatBool(c.want) {
			t.Errorf("%s: %q, %v", c.name, out, err)
		}
	}
}

// A user without a home in passwd(5) has the one of HOME, if nobody else can write there.
func TestOwnHome(t *testing.T) {
	dir, me := t.TempDir(), os.Geteuid()
	folder := func(name string, mode os.FileMode, uid, gid int) string {
		at := filepath.Join(dir, name)
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if me == 0 {
			if err := os.Chown(at, uid, gid); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
		return at
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	foreign := "/"
	if me == 0 {
		foreign = folder("foreign", 0o755, 4711, 4711)
	}
	for at, want := range map[string]bool{folder("own", 0o755, me, me): true, folder("private", 0o700, me, me): true,
		folder("shared", 0o777, me, me): false, folder("sticky", 0o777|os.ModeSticky, me, me): false, foreign: false,
		file: false, dir + "/none": false, "": false, ".": false, "/": false, "//": false, "/tmp/..": false} {
		if ownHome(at) != want {
			t.Errorf("%q: %t", at, !want)
		}
	}
	if me == 0 {
		for at, want := range map[string]bool{folder("a user's group", 0o775, me, me): true, folder("a group", 0o775, me, 4711): false} {
			if ownHome(at) != want {
				t.Errorf("%q: %t", at, !want)
			}
		}
	}
}
