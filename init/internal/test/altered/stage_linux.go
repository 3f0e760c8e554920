package altered

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A Stage is a folder of the host with something of everything that a policy can name.
type Stage struct{ Dir string }

// shut is a folder that only its owner may enter: of root's servers none.
const shut = "outer/shut"

// Build makes the stage so that the ids of any server may use it: below the folder of temporary files, which servers
// have their own of, or below another.
func Build(tb testing.TB, below string) Stage {
	tb.Helper()
	listens := below == Quiet
	switch below {
	case "":
		below = testbed.Scratch(tb)
	case Quiet:
		below = QuietFolder(tb)
	}
	dir, err := os.MkdirTemp(below, "mcp-sandbox-stage-")
	if err != nil {
		tb.Fatal(err)
	}
	for _, d := range []string{"home/grant/deep", "read/below", "read/denied/again", "write/.git/hooks",
		"write/frozen", "write/deep/.git", shut + "/in"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			tb.Fatal(err)
		}
	}
	for _, f := range []string{"read/file", "read/secret", "read/denied/file", "write/.git/config",
		"write/frozen/file", "write/note", "file", shut + "/secret"} {
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
		ListenAll(tb, filepath.Join(dir, "sockets"))
	}
	return Stage{dir}
}

// Path is that of a name in the stage.
func (s Stage) Path(name string) string { return filepath.Join(s.Dir, name) }

// Launch is a launch whose server leaves two marks: a word on its standard output, and the file of a name in a write
// grant.
func (s Stage) Launch(doc, mark string) Launch {
	if strings.Contains(doc, onlyOne) {
		return s.Once(doc, mark)
	}
	return Launch{
		Launch: host.Launch{
			Stored:  s.Stored(doc),
			Policy:  s.Policy(doc),
			Begin:   Begin(doc),
			Command: []string{"/bin/sh", "-c", "echo ran; : >" + s.Path("write/"+mark)},
			TTY:     strings.Contains(doc, FromTerminal),
		},
		Env:      []string{"HOME=" + s.Path("home"), "PATH=/usr/bin:/bin"},
		Dir:      s.Dir,
		Launcher: Launcher{ABI: strings.Count(doc, oldLandlock) * 2},
	}
}

// Once is such a launch whose server may not start others, and so is no shell.
func (s Stage) Once(doc, mark string) Launch {
	return Launch{
		Launch: host.Launch{
			Policy:  s.Policy(doc),
			Begin:   Begin(doc),
			Command: []string{"awk", `BEGIN{print "ran"; printf "" >"` + s.Path("write/"+mark) + `"}`},
		},
		Env: []string{"HOME=" + s.Path("home"), "PATH=/usr/bin:/bin"},
		Dir: s.Dir,
	}
}

// Policy is a document for this stage. A launch that is altered must not go on with less confinement.
func (s Stage) Policy(doc string) string {
	doc = strings.ReplaceAll(doc, "STAGE", s.Dir)
	if Begin(doc) == "" {
		doc = strings.Replace(doc, `"version":1`, `"version":1,"minConfinement":"full"`, 1)
	}
	return doc
}

// Begin is the confinement that a document is tried with, if that is not full.
func Begin(doc string) string {
	_, rest, _ := strings.Cut(doc, `"minConfinement":"`)
	word, _, _ := strings.Cut(rest, `"`)
	return word
}

// Weaker is a document for another confinement than full.
func Weaker(doc, confinement string) string {
	return strings.Replace(doc, `"version":1`, `"version":1,"minConfinement":"`+confinement+`"`, 1)
}

// Ran reports whether the server did anything.
func (s Stage) Ran(o *Outcome, mark string) bool {
	_, err := os.Stat(s.Path("write/" + mark))
	return err == nil || o.Stdout != ""
}

// List is the whole program of a launch that runs.
func (s Stage) List(t *testing.T, doc string) []Op {
	t.Helper()
	l := s.Launch(doc, "list")
	l.List = true
	o := Run(t, l)
	if o.Code != 0 || len(o.List) < 100 {
		t.Fatalf("code %d, %d calls\n%s", o.Code, len(o.List), o.Stderr)
	}
	return o.List
}
