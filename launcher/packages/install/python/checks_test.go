package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// pipped is what pip's report has of an archive.
func pipped(file, hash string) *reported {
	p := &reported{}
	p.Metadata.Name, p.Metadata.Version = "x", "1.0"
	p.Download.URL = "https://index.example/files/" + file
	p.Download.Archive = &struct {
		Hashes map[string]string `json:"hashes"`
	}{map[string]string{"sha256": hash}}
	return p
}

// A pip that has no option for ages installs nothing with --min-age.
func TestPipOfNoAges(t *testing.T) {
	for has, want := range map[string]string{`"--uploaded-prior-to"`: "is no name of a package", `"--uploaded"`: "as pip 26 is: /usr/bin/python3 has pip 23.0.1"} {
		a := &answer{Python: "/usr/bin/python3", Version: "23.0.1", Pip: t.TempDir()}
		registrytest.Put(t, a.Pip, map[string]string{"_internal/cli/cmdoptions.py": has})
		j := &job.Job{Before: time.Unix(1, 0), Settings: &job.Settings{Answer: a}, Start: &startline.Start{Specs: []startline.Spec{{Name: "/"}}}}
		if _, err := install(t.Context(), j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", has, err, want)
		}
	}
}

// Where Python has binary packages in lib64, as Fedora's has, that is lib.
func TestLib64(t *testing.T) {
	j := &job.Job{Stage: t.TempDir(), Owner: -1}
	j.Private = filepath.Join(j.Stage, "private")
	if err := makeEnvironment(j, &answer{Python: "/usr/bin/python3", Packages: "lib/python3.14/site-packages"}); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(j.Stage + "/lib64"); err != nil || target != "lib" {
		t.Errorf("%q, %v", target, err)
	}
}

// Builds, which --scripts allows, find no log-in in the configuration of their pip.
func TestPipConfigure(t *testing.T) {
	for scripts, want := range map[bool]string{false: "index-url = https://u:s3cret@index.example/simple/\n", true: "index-url = https://index.example/simple/\n"} {
		stage := t.TempDir()
		j := &job.Job{Stage: stage, Private: filepath.Join(stage, "private"), Scripts: scripts, Owner: -1, Settings: &job.Settings{
			Registries: []job.Registry{{URL: "https://index.example/simple/"}}, Answer: &answer{Config: map[string]string{"global.trusted-host": "index.example elsewhere.example"}},
			Logins: []job.Login{{Key: "https://index.example/simple/", Value: "u:s3cret"}}}}
		if err := j.Folder("private"); err != nil {
			t.Fatal(err)
		}
		if err := configure(j, j.Settings.Answer.(*answer)); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(j.Private, "pip.conf"))
		if err != nil || string(b) != "[global]\ntrusted-host = index.example\n"+want {
			t.Errorf("scripts %v: %q, %v", scripts, b, err)
		}
	}
}

// What is no wheel with a SHA-256 from the index is refused; with --scripts an archive of sources is taken.
func TestPipCheck(t *testing.T) {
	const own = "x-1.0-py3-none-any.whl"
	ones := strings.Repeat("1", 64)
	for _, c := range []struct {
		name    string
		change  func(p *reported)
		scripts bool
		want    string
	}{
		{"whole", func(*reported) {}, false, ""},
		{"with a log-in", func(p *reported) { p.Download.URL = "https://u:p@index.example/files/" + own }, false, ""},
		{"of another host", func(p *reported) { p.Download.URL = "https://elsewhere.example/" + own }, false, "none of your registries"},
		{"without TLS", func(p *reported) { p.Download.URL = "http://index.example/" + own }, true, "none of your registries"},
		{"by its URL", func(p *reported) { p.Direct = true }, false, "only what the index serves"},
		{"a repository", func(p *reported) { p.Download.Archive = nil }, true, "only what the index serves"},
		{"sources", func(p *reported) { p.Download.URL = "https://index.example/x-1.0.tar.gz" }, false, "is no wheel"},
		{"sources, with scripts", func(p *reported) { p.Download.URL = "https://index.example/x-1.0.tar.gz" }, true, ""},
		{"a short hash", func(p *reported) { p.Download.Archive.Hashes["sha256"] = ones[1:] }, false, "has no sha256"},
		{"no hash", func(p *reported) { p.Download.Archive.Hashes["sha256"] = strings.Repeat("x", 64) }, true, "has no sha256"},
		{"a name that is a flag", func(p *reported) { p.Metadata.Name = "-r" }, false, "names the package"},
		{"no version", func(p *reported) { p.Metadata.Version = "" }, false, "names the package"},
	} {
		p := pipped(own, ones)
		c.change(p)
		j := &job.Job{Scripts: c.scripts, Settings: &job.Settings{Registries: []job.Registry{{URL: "https://index.example/simple/"}}}}
		if err := check(p, j); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
