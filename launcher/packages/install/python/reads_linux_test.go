package python

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// What answers in Python's place names no folder out of an environment.
func TestPythonAnswersAreChecked(t *testing.T) {
	t.Parallel()
	good := answer{Python: "/usr/bin/python3.11", Full: "3.11.2", Packages: "lib/python3.11/site-packages",
		Pip: "/usr/lib/python3/dist-packages/pip", Version: "23.0.1"}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*answer){
		"leads out": func(a *answer) { a.Packages = "../../x/site-packages" }, "absolute": func(a *answer) { a.Packages = "/x" },
		"no packages": func(a *answer) { a.Packages = "" }, "relative Python": func(a *answer) { a.Python = "x" },
		"two lines": func(a *answer) { a.Python = "/x\nhome = /y" }, "a version of two lines": func(a *answer) { a.Full = "3\nx = 1" },
		"no pip": func(a *answer) { a.Pip = "" },
	} {
		bad := good
		if change(&bad); bad.check() == nil {
			t.Errorf("%s: %+v is taken", name, bad)
		}
	}
}

// The launcher's memory does not grow with the files of a package, at a start or in an install: a program is looked at,
// and of a list that is longer than lists are nothing is read.
func TestReadsAreBounded(t *testing.T) {
	const record = "lib/python3.11/site-packages/tool-1.dist-info/RECORD"
	start := func(at string) error {
		_, err := entry(at, &startline.Start{Tool: "uvx", Specs: []startline.Spec{{Name: "tool"}}})
		return err
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		do    func(at string) error
		err   string // "": it starts
	}{
		{"a program", map[string]string{"bin/python": "", "bin/tool": "+", record: "../../../bin/tool,,\n"}, start, ""},
		{"a list", map[string]string{"bin/python": "", "bin/tool": "", record: "../../../bin/tool,,\n+"}, start, "no file of at most 16777216 bytes"},
		{"a long list", map[string]string{"bin/python": "", "bin/tool": "", record: strings.Repeat("../../../bin/x,,\n", 20_000)}, start,
			"more than 10000 programs"},
		{"a long row", map[string]string{"bin/python": "", "bin/tool": "", record: strings.Repeat(",", 16<<20)}, start, "token too long"},
		{"two lists", map[string]string{"bin/python": "", "bin/tool": "", record: "../../../bin/tool,,\n",
			"lib/python3.11/site-packages/Tool-0.dist-info/RECORD": ""}, start, "tool is in its environment twice"},
		{"a program that is no script", map[string]string{"bin/tool": "+"}, func(at string) error { return fixScripts(&job.Job{Stage: at}) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) { registrytest.Bounded(t, c.files, c.err, c.do) })
	}
}

// A script of any length gets its first line.
func TestStartsOfPrograms(t *testing.T) {
	at := t.TempDir()
	rest := bytes.Repeat([]byte("x = 1\n"), 1<<20)
	script := append([]byte("#!"+filepath.Join(at, interpreter)+"\n"), rest...)
	registrytest.Put(t, at, map[string]string{"bin/tool": string(script)})
	err := fixScripts(&job.Job{Stage: at})
	got, bad := os.ReadFile(at + "/bin/tool")
	if err != nil || bad != nil || string(got) != firstLines+string(rest) {
		t.Errorf("%v, %v, %.200q", err, bad, got)
	}
}
