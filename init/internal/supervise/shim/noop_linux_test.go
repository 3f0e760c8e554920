package shim_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A stage is a folder of the host with something of everything that a policy can name.
type stage struct{ dir string }

// shut is a folder that only its owner may enter: of root's servers none.
const shut = "outer/shut"

// build makes the stage so that the ids of any server may use it: below the folder of temporary files, which servers have
// their own of, or below another.
func build(tb testing.TB, below string) stage {
	tb.Helper()
	listens := below == quiet
	switch below {
	case "":
		below = testbed.Scratch(tb)
	case quiet:
		below = quietFolder(tb)
	}
	dir, err := os.MkdirTemp(below, "mcp-sandbox-stage-")
	if err != nil {
		tb.Fatal(err)
	}
	for _, d := range []string{"home/grant/deep", "read/below", "read/denied/again", "write/.git/hooks", "write/frozen", "write/deep/.git", shut + "/in"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			tb.Fatal(err)
		}
	}
	for _, f := range []string{"read/file", "read/secret", "read/denied/file", "write/.git/config", "write/frozen/file", "write/note", "file", shut + "/secret"} {
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
	if err := os.Chmod(filepath.Join(dir, shut), 0o700); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	if listens {
		listenAll(tb, filepath.Join(dir, "sockets"))
	}
	return stage{dir}
}

func (s stage) path(name string) string { return filepath.Join(s.dir, name) }

// launch is a launch whose server leaves two marks: a word on its standard output, and the file of a name in a write grant.
func (s stage) launch(doc, mark string) launch {
	if strings.Contains(doc, onlyOne) {
		return s.once(doc, mark)
	}
	return launch{
		Launch: host.Launch{
			Stored:  s.stored(doc),
			Policy:  s.policy(doc),
			Begin:   begin(doc),
			Command: []string{"/bin/sh", "-c", "echo ran; : >" + s.path("write/"+mark)},
			TTY:     strings.Contains(doc, fromTerminal),
		},
		Env: []string{"HOME=" + s.path("home"), "PATH=/usr/bin:/bin"},
		Dir: s.dir,
		ABI: strings.Count(doc, oldLandlock) * 2,
	}
}

// once is such a launch whose server may not start others, and so is no shell.
func (s stage) once(doc, mark string) launch {
	return launch{
		Launch: host.Launch{
			Policy:  s.policy(doc),
			Begin:   begin(doc),
			Command: []string{"awk", `BEGIN{print "ran"; printf "" >"` + s.path("write/"+mark) + `"}`},
		},
		Env: []string{"HOME=" + s.path("home"), "PATH=/usr/bin:/bin"},
		Dir: s.dir,
	}
}

// policy is a document for this stage. A launch that is altered must not go on with less confinement.
func (s stage) policy(doc string) string {
	doc = strings.ReplaceAll(doc, "STAGE", s.dir)
	if begin(doc) == "" {
		doc = strings.Replace(doc, `"version":1`, `"version":1,"minConfinement":"full"`, 1)
	}
	return doc
}

// begin is the confinement that a document is tried with, if that is not full.
func begin(doc string) string {
	_, rest, _ := strings.Cut(doc, `"minConfinement":"`)
	word, _, _ := strings.Cut(rest, `"`)
	return word
}

// weaker is a document for another confinement than full.
func weaker(doc, confinement string) string {
	return strings.Replace(doc, `"version":1`, `"version":1,"minConfinement":"`+confinement+`"`, 1)
}

// ran reports whether the server did anything.
func (s stage) ran(o *outcome, mark string) bool {
	_, err := os.Stat(s.path("write/" + mark))
	return err == nil || o.stdout != ""
}

// The positive control of every test that alters something: unaltered, the same launch runs its server.
func TestUnalteredLaunchRuns(t *testing.T) {
	for _, d := range documents {
		t.Run(d.name, func(t *testing.T) {
			s := build(t, d.below)
			o := run(t, s.launch(d.text, "mark"))
			_, err := os.Stat(s.path("write/mark"))
			if o.code != 0 || o.event() != "exited" || len(o.report) != 2 || err != nil || o.stdout != "ran\n" {
				t.Fatalf("code %d, %q, %v, %v\n%s", o.code, o.stdout, err, o.report, o.stderr)
			}
		})
	}
}

// list is the whole program of a launch that runs.
func (s stage) list(t *testing.T, doc string) []op {
	t.Helper()
	l := s.launch(doc, "list")
	l.List = true
	o := run(t, l)
	if o.code != 0 || len(o.list) < 100 {
		t.Fatalf("code %d, %d calls\n%s", o.code, len(o.list), o.stderr)
	}
	return o.list
}

// Every call that changes what holds for the server is replaced by one that does nothing, each in a launch of its own:
// the evidence has to miss it, or it proves nothing. With -short a call that an earlier document has letter for letter, in the
// same confinement, is not tried again.
func TestEveryOpIsMissed(t *testing.T) {
	tried := map[string]bool{}
	for _, d := range documents {
		t.Run(d.name, func(t *testing.T) {
			s := build(t, d.below)
			applied := 0
			all := s.list(t, d.text)
			names := unnumbered(all)
			for i, op := range all {
				if program.Class(op.Class) != program.Apply || !op.Ran {
					continue
				}
				applied++
				if s.again(tried, d.text, names[i]) {
					continue
				}
				t.Run(strconv.Itoa(op.Index), func(t *testing.T) {
					t.Parallel()
					mark := "without-" + strconv.Itoa(op.Index)
					l := s.launch(d.text, mark)
					l.Op, l.Line = op.Index, op.Line
					s.refused(t, l, mark)
				})
			}
			if applied < 80 && begin(d.text) == "" || applied < 40 {
				t.Errorf("only %d calls apply anything", applied)
			}
		})
	}
}

// again reports, with -short, whether the same calls were tried before in the same confinement.
func (s stage) again(tried map[string]bool, doc string, calls ...string) bool {
	key := begin(doc) + " " + strings.ReplaceAll(strings.Join(calls, "\n"), s.dir, "STAGE")
	before := tried[key]
	tried[key] = true
	return before && testing.Short()
}

// Each namespace is asked for by one flag of one call: without the flag the launch is refused. With -short as
// [TestEveryOpIsMissed].
func TestEveryNamespaceIsMissed(t *testing.T) {
	const clone = 1 // the first call of every program gives the runner its name
	flags := []struct {
		name string
		bit  uint64
	}{
		{"user", unix.CLONE_NEWUSER}, {"mnt", unix.CLONE_NEWNS}, {"pid", unix.CLONE_NEWPID},
		{"ipc", unix.CLONE_NEWIPC}, {"uts", unix.CLONE_NEWUTS}, {"net", unix.CLONE_NEWNET},
	}
	tried := map[string]bool{}
	for _, d := range documents {
		if begin(d.text) != "" {
			continue
		}
		s := build(t, d.below)
		first := s.list(t, d.text)[clone]
		if !strings.Contains(first.Line, "clone(") {
			t.Fatalf("%s: not a clone: %s", d.name, first.Line)
		}
		for _, f := range flags {
			if d.name == "network" && f.name == "net" {
				continue // the host's is what was asked for
			}
			if s.again(tried, d.text, first.Line, f.name) {
				continue
			}
			t.Run(d.name+"/"+f.name, func(t *testing.T) {
				l := s.launch(d.text, f.name)
				l.Op, l.Line, l.Flags = clone, first.Line, f.bit
				s.refused(t, l, f.name)
			})
		}
	}
}

// refused makes a launch that has to be refused, with one record that says why and a server that has not run.
func (s stage) refused(t *testing.T, l launch, mark string) {
	t.Helper()
	l.Timeout = 5 * time.Second // without one call in it init or the server may wait for ever
	o := run(t, l)
	if o.code == 125 && o.event() == "refused" && len(o.report) == 1 && !s.ran(&o, mark) {
		return
	}
	// With minConfinement written out a server whose sockets cannot be made starts all the same, and reaches no host.
	if o.code == 0 && strings.Contains(o.stderr, "nothing holds network.allowedDomains (the server has no network)") {
		return
	}
	t.Errorf("not missed: %s\ncode %d, said %q, %s\n%s", l.Line, o.code, o.stdout, o.event(), o.stderr)
}
