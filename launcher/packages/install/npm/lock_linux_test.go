package npm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// The entries of all folders of a lock file are checked, however deep these lie.
func TestLockOfDeepFolders(t *testing.T) {
	const entry = `{"version":"1.0.0","resolved":"http://HOST/x.tgz","integrity":"sha512-` + sum + `"}`
	start, err := startline.Parse([]string{"npx", "a"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ bad, words string }{
		{"", ""},
		{"node_modules/a", "dependency a comes from"},
		{"node_modules/a/node_modules/b", "dependency b comes from"},
		{"node_modules/a/node_modules/b/node_modules/@c/d", "dependency @c/d comes from"},
		{"node_modules/not-there", "dependency not-there comes from"},
	} {
		var entries []string
		for _, at := range []string{"node_modules/a", "node_modules/a/node_modules/b", "node_modules/a/node_modules/b/node_modules/@c/d", "node_modules/not-there"} {
			host := "registry.example"
			if at == c.bad {
				host = "elsewhere.example"
			}
			entries = append(entries, `"`+at+`":`+strings.Replace(entry, "HOST", host, 1))
		}
		j := &job.Job{Stage: t.TempDir(), Start: start, Settings: &job.Settings{Registries: []job.Registry{{URL: "http://registry.example/"}}}}
		registrytest.Put(t, j.Stage, map[string]string{lockFile: `{"lockfileVersion":3,"packages":{"":{},` + strings.Join(entries, ",") + "}}",
			"node_modules/a/package.json": `{"bin":"cli.js"}`, "node_modules/a/node_modules/b/package.json": "{}"})
		found, err := contents(j)
		if (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", c.bad, err)
		}
		if err == nil && (found.Name != "a" || found.Packages != 2) {
			t.Errorf("%+v", found.Contents)
		}
	}
}

// A program is one of the package's own, and none of another package beside it.
func TestProgramOfAnotherPackage(t *testing.T) {
	start, err := startline.Parse([]string{"npx", "x"})
	if err != nil {
		t.Fatal(err)
	}
	for target, words := range map[string]string{
		"../x/cli.js": "", "../x/deep/cli.js": "", "../y/cli.js": "out of the package", "../x-y/cli.js": "out of the package",
		"../../cli.js": "out of the package", "../x/node_modules/../../y/cli.js": "out of the package", "../x/missing.js": "which the package has not",
	} {
		folder, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		registrytest.Put(t, folder, map[string]string{"node_modules/x/package.json": `{"bin":"cli.js"}`, "node_modules/x/cli.js": "", "node_modules/x/deep/cli.js": "",
			"node_modules/x/node_modules/z/f": "", "node_modules/y/cli.js": "", "node_modules/x-y/cli.js": "", "cli.js": "", "node_modules/.bin/other": ""})
		if err := os.Symlink(target, folder+"/node_modules/.bin/x"); err != nil {
			t.Fatal(err)
		}
		e, err := entry(folder, start)
		if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %+v, %v", target, e, err)
		}
	}
}

// A package.json is read as npm reads it.
func TestManifests(t *testing.T) {
	for text, want := range map[string]string{
		`{"bin":"x.js"}`: "server=x.js", "\xef\xbb\xbf" + `{"bin":{"a":"x.js"}}`: "a=x.js", `{"bin":{"@acme/server":"x.js"}}`: "server=x.js",
		`{"bin":{"c:\\a\\b":"x.js"}}`: "b=x.js", `{"bin":{"c:b":"x.js","d":"y.js"}}`: "b=x.js d=y.js", `{"bin":{"s/a":"x.js","b/a":"y.js"}}`: "a=x.js",
	} {
		at := t.TempDir()
		registrytest.Put(t, at, map[string]string{"p/package.json": text})
		root, err := os.OpenRoot(at)
		if err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(root, "p")
		root.Close()
		var got []string
		for name, file := range m.bins("@acme/server") {
			got = append(got, name+"="+file)
		}
		if slices.Sort(got); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v; want %s", text, got, err, want)
		}
	}
}

// The launcher's memory does not grow with the files of a package, at a start or in an install.
func TestReadsAreBounded(t *testing.T) {
	start := &startline.Start{Specs: []startline.Spec{{Name: "tool"}}}
	registrytest.Bounded(t, map[string]string{"node_modules/tool/package.json": "{}+"}, "no file of at most 4194304 bytes", func(at string) error {
		_, err := entry(at, start)
		return err
	})
	registrytest.Bounded(t, map[string]string{lockFile: "{}+"}, "no file of at most 16777216 bytes", func(at string) error {
		_, err := contents(&job.Job{Stage: at, Start: start})
		return err
	})
}
