package supervise_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A stage is a folder of the host with something of everything that a policy can name.
type stage struct {
	dir  string
	mark string // what the server writes when it runs
}

// build makes the stage so that the ids of any server may use it.
func build(tb testing.TB) stage {
	tb.Helper()
	dir, err := os.MkdirTemp(testbed.Scratch(tb), "stage-")
	if err != nil {
		tb.Fatal(err)
	}
	for _, d := range []string{"home", "read/below", "read/denied/again", "write/.git/hooks", "write/frozen", "write/deep/.git"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			tb.Fatal(err)
		}
	}
	for _, f := range []string{"read/file", "read/secret", "read/denied/file", "write/.git/config", "write/frozen/file", "write/note", "file"} {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("what lies there\n"), 0o666); err != nil {
			tb.Fatal(err)
		}
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error { // whatever the umask is
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o777)
		}
		return os.Chmod(path, 0o666)
	})
	if err != nil {
		tb.Fatal(err)
	}
	return stage{dir, filepath.Join(dir, "write", "ran")}
}

func (s stage) path(name string) string { return filepath.Join(s.dir, name) }

// launch is a launch whose server leaves two marks.
func (s stage) launch(doc string) launch {
	return launch{
		Policy:  strings.ReplaceAll(doc, "STAGE", s.dir),
		Command: []string{"/bin/sh", "-c", "echo ran; : >" + s.mark},
		Env:     []string{"HOME=" + s.path("home"), "PATH=/usr/bin:/bin"},
		Dir:     s.dir,
	}
}

// ran reports whether the server did anything.
func (s stage) ran(o *outcome) bool {
	_, err := os.Stat(s.mark)
	return err == nil || o.stdout != ""
}

// documents are policies that together lay out every Op that there is.
var documents = []struct{ name, text string }{
	{"standard", `{"version":1,"filesystem":{"allowRead":["STAGE/read"],"allowWrite":["STAGE/write","STAGE/file"],
		"denyRead":["STAGE/read/denied","STAGE/read/secret"],"denyWrite":["STAGE/write/frozen"]},
		"limits":{"fileSize":"1G","addressSpace":"1T"},"umask":"0027","seccomp":{"deny":["getcwd"]}}`},
	{"network", `{"version":1,"level":"network","filesystem":{"allowWrite":["STAGE/write"]}}`},
	{"default-read", `{"version":1,"filesystem":{"default":"read","allowWrite":["STAGE/write"],
		"denyRead":["STAGE/read/denied","STAGE/read/secret"]}}`},
}

// The positive control of every test that alters something: unaltered, the same launch runs its server.
func TestUnalteredLaunchRuns(t *testing.T) {
	for _, d := range documents {
		t.Run(d.name, func(t *testing.T) {
			s := build(t)
			o := run(t, s.launch(d.text))
			if o.code != 0 || o.event() != "exited" || len(o.report) != 2 || !s.ran(&o) || o.stdout != "ran\n" {
				t.Fatalf("code %d, %q, %v\n%s", o.code, o.stdout, o.report, o.stderr)
			}
		})
	}
}

// Every call that changes what holds for the server is replaced by one that does nothing, each in a launch of its own:
// the evidence has to miss it, or it proves nothing.
func TestEveryOpIsMissed(t *testing.T) {
	for _, d := range documents {
		t.Run(d.name, func(t *testing.T) {
			s := build(t)
			l := s.launch(d.text)
			l.List = true
			o := run(t, l)
			if o.code != 0 || len(o.list) < 100 {
				t.Fatalf("code %d, %d calls\n%s", o.code, len(o.list), o.stderr)
			}
			os.Remove(s.mark)
			applied := 0
			for _, op := range o.list {
				if program.Class(op.Class) != program.Apply {
					continue
				}
				applied++
				l := s.launch(d.text)
				l.Op, l.Line = op.Index, op.Line
				t.Run(fmt.Sprint(op.Index), func(t *testing.T) {
					t.Parallel()
					s.refused(t, l)
				})
			}
			if applied < 80 {
				t.Errorf("only %d calls apply anything", applied)
			}
		})
	}
}

// Each namespace is asked for by one flag of one call: without the flag the launch is refused.
func TestEveryNamespaceIsMissed(t *testing.T) {
	const clone = 0 // the first call of every program
	for _, d := range documents {
		for name, flag := range map[string]uint64{"user": unix.CLONE_NEWUSER, "mnt": unix.CLONE_NEWNS, "pid": unix.CLONE_NEWPID,
			"ipc": unix.CLONE_NEWIPC, "uts": unix.CLONE_NEWUTS, "net": unix.CLONE_NEWNET} {
			if d.name == "network" && name == "net" {
				continue // the host's is what was asked for
			}
			t.Run(d.name+"/"+name, func(t *testing.T) {
				s := build(t)
				l := s.launch(d.text)
				l.List = true
				o := run(t, l)
				if len(o.list) == 0 || !strings.Contains(o.list[clone].Line, "clone(") {
					t.Fatalf("not a clone: %+v\n%s", o.list, o.stderr)
				}
				os.Remove(s.mark)
				l = s.launch(d.text)
				l.Op, l.Line, l.Flags = clone, o.list[clone].Line, flag
				s.refused(t, l)
			})
		}
	}
}

// refused makes a launch that has to be refused, with one record that says why and a server that has not run.
func (s stage) refused(t *testing.T, l launch) {
	t.Helper()
	o := run(t, l)
	if o.code == 125 && o.event() == "refused" && len(o.report) == 1 && !s.ran(&o) {
		return
	}
	report, _ := json.Marshal(o.report)
	t.Errorf("not missed: %s\ncode %d, said %q\n%.300s\n%s", l.Line, o.code, o.stdout, report, o.stderr)
	os.Remove(s.mark)
}
