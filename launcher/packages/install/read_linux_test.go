package install

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// large is the size of a file that a package has, and mostHeap what the launcher may take for it.
const (
	large    = 900 << 20
	mostHeap = 8 << 20
)

// make makes the files of a package: texts, and behind "+" a hole of the size large.
func makePackage(t *testing.T, files map[string]string) string {
	t.Helper()
	at := t.TempDir()
	for name, text := range files {
		path := filepath.Join(at, name)
		text, hole := strings.CutSuffix(text, "+")
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755))
		if hole {
			err = errors.Join(err, os.Truncate(path, large))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return at
}

// What the launcher takes of memory does not grow with the files of a package, at a start or in an install: a program is
// looked at, and of a list that is longer than lists are nothing is read.
func TestReadsAreBounded(t *testing.T) {
	const record = "lib/python3.11/site-packages/tool-1.dist-info/RECORD"
	npx, uvx := &startline.Start{Specs: []startline.Spec{{Name: "tool"}}}, &startline.Start{Tool: "uvx", Specs: []startline.Spec{{Name: "tool"}}}
	entry := func(of func(string, *startline.Start) (*entry, error), s *startline.Start) func(string) error {
		return func(at string) error {
			_, err := of(at, s)
			return err
		}
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		do    func(at string) error
		err   string // "": it starts
	}{
		{"a program of Python's", map[string]string{"bin/python": "", "bin/tool": "+", record: "../../../bin/tool,,\n"}, entry(pipEntry, uvx), ""},
		{"a list of Python's", map[string]string{"bin/python": "", "bin/tool": "", record: "../../../bin/tool,,\n+"}, entry(pipEntry, uvx),
			"no file of at most 16777216 bytes"},
		{"a long list", map[string]string{"bin/python": "", "bin/tool": "", record: strings.Repeat("../../../bin/x,,\n", 20_000)}, entry(pipEntry, uvx),
			"more than 10000 programs"},
		{"package.json", map[string]string{"node_modules/tool/package.json": "{}+"}, entry(npmEntry, npx), "no file of at most 4194304 bytes"},
		{"a lock file", map[string]string{npmLock: "{}+"}, func(at string) error {
			_, err := npmContents(&job{stage: at, start: npx})
			return err
		}, "no file of at most 16777216 bytes"},
		{"a program of Go's", map[string]string{"bin/tool": "\x7fELF+"}, func(at string) error {
			_, err := goContents(&job{stage: at}, "example.com/tool")
			return err
		}, "program tool of example.com/tool"},
		{"a program that is no script", map[string]string{"bin/tool": "+"}, func(at string) error { return pipScripts(&job{stage: at}) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := makePackage(t, c.files)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.do(at)
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > mostHeap {
				t.Errorf("%d bytes of memory", taken)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, want %q", err, c.err)
			}
		})
	}
}

// A script of any length gets its first line, and a program of Go's that says of itself that it is longer than any is not
// read to its end.
func TestStartsOfPrograms(t *testing.T) {
	at := t.TempDir()
	rest := bytes.Repeat([]byte("x = 1\n"), 1<<20)
	script := append([]byte("#!"+filepath.Join(at, pipInterpreter)+"\n"), rest...)
	if err := errors.Join(os.Mkdir(at+"/bin", 0o755), os.WriteFile(at+"/bin/tool", script, 0o755)); err != nil {
		t.Fatal(err)
	}
	err := pipScripts(&job{stage: at})
	got, bad := os.ReadFile(at + "/bin/tool")
	if err != nil || bad != nil || string(got) != pipFirst+string(rest) {
		t.Errorf("%v, %v, %.200q", err, bad, got)
	}
	r := &sparing{bytes.NewReader(make([]byte, 100)), 64}
	if n, err := r.ReadAt(make([]byte, 60), 0); n != 60 || err != nil {
		t.Error(n, err)
	}
	if _, err := r.ReadAt(make([]byte, 5), 60); err == nil {
		t.Error("more is read than there may be")
	}
}
