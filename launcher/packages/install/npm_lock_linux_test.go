package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// putAll writes files below a folder.
func putAll(t *testing.T, folder string, files texts) {
	t.Helper()
	for name, text := range files {
		put(t, filepath.Join(folder, name), text)
	}
}

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
		j := &job{stage: t.TempDir(), start: start, settings: &settings{registries: []registry{{"", "http://registry.example/"}}}}
		putAll(t, j.stage, texts{npmLock: `{"lockfileVersion":3,"packages":{"":{},` + strings.Join(entries, ",") + "}}",
			"node_modules/a/package.json": `{"bin":"cli.js"}`, "node_modules/a/node_modules/b/package.json": "{}"})
		found, err := npmContents(j)
		if (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", c.bad, err)
		}
		if err == nil && (found.name != "a" || found.packages != 2) {
			t.Errorf("%+v", found.contents)
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
		putAll(t, folder, texts{"node_modules/x/package.json": `{"bin":"cli.js"}`, "node_modules/x/cli.js": "", "node_modules/x/deep/cli.js": "",
			"node_modules/x/node_modules/z/f": "", "node_modules/y/cli.js": "", "node_modules/x-y/cli.js": "", "cli.js": "", "node_modules/.bin/other": ""})
		if err := os.Symlink(target, folder+"/node_modules/.bin/x"); err != nil {
			t.Fatal(err)
		}
		e, err := npmEntry(folder, start)
		if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %+v, %v", target, e, err)
		}
	}
}

// A pipe or a device in place of a file is refused, and nothing waits for its writer. A file is read.
func TestReadsOfNoFile(t *testing.T) {
	folder := t.TempDir()
	putAll(t, folder, texts{"file": "text", "d/f": ""})
	if err := errors.Join(unix.Mkfifo(folder+"/pipe", 0o600), os.Symlink("/dev/zero", folder+"/zero"), os.Symlink("pipe", folder+"/link")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	reads := map[string]func(string) ([]byte, error){
		"readRegular":       func(name string) ([]byte, error) { return readRegular(root, name, 99) },
		"readConfiguration": func(name string) ([]byte, error) { return readConfiguration(filepath.Join(folder, name)) },
	}
	for by, read := range reads {
		if b, err := read("file"); err != nil || string(b) != "text" {
			t.Errorf("%s of a file: %q, %v", by, b, err)
		}
		for _, name := range []string{"pipe", "link", "zero", "d", "missing"} {
			done := make(chan error, 1)
			go func() {
				_, err := read(name)
				done <- err
			}()
			if err := testbed.Receive(t, "the end of "+by+" of "+name, done); err == nil {
				t.Errorf("%s of %s: no error", by, name)
			}
		}
	}
	if _, err := readRegular(root, "file", 3); err == nil {
		t.Error("a longer file was read")
	}
}
