package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// pipped is what pip's report has of an archive.
func pipped(file, hash string) *pipPackage {
	p := &pipPackage{}
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
		a := &pipAnswer{Python: "/usr/bin/python3", Version: "23.0.1", Pip: t.TempDir()}
		file := filepath.Join(a.Pip, "_internal", "cli", "cmdoptions.py")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, file, has)
		j := &job{before: time.Unix(1, 0), settings: &settings{python: a}, start: &startline.Start{Specs: []startline.Spec{{Name: "/"}}}}
		if _, err := pipInstall(t.Context(), j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", has, err, want)
		}
	}
}

// Builds, which --scripts allows, find no log-in in the configuration of their pip.
func TestPipConfigure(t *testing.T) {
	for scripts, want := range map[bool]string{false: "index-url = https://u:s3cret@index.example/simple/\n", true: "index-url = https://index.example/simple/\n"} {
		stage := t.TempDir()
		j := &job{stage: stage, private: filepath.Join(stage, private), scripts: scripts, owner: -1, settings: &settings{
			registries: []registry{{"", "https://index.example/simple/"}}, python: &pipAnswer{Config: map[string]string{"global.trusted-host": "index.example elsewhere.example"}},
			logins: []login{{key: "https://index.example/simple/", value: "u:s3cret"}}}}
		if err := j.folder(private); err != nil {
			t.Fatal(err)
		}
		if err := pipConfigure(j); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(j.private, "pip.conf"))
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
		change  func(p *pipPackage)
		scripts bool
		want    string
	}{
		{"whole", func(*pipPackage) {}, false, ""},
		{"with a log-in", func(p *pipPackage) { p.Download.URL = "https://u:p@index.example/files/" + own }, false, ""},
		{"of another host", func(p *pipPackage) { p.Download.URL = "https://elsewhere.example/" + own }, false, "none of your registries"},
		{"without TLS", func(p *pipPackage) { p.Download.URL = "http://index.example/" + own }, true, "none of your registries"},
		{"by its URL", func(p *pipPackage) { p.Direct = true }, false, "only what the index serves"},
		{"a repository", func(p *pipPackage) { p.Download.Archive = nil }, true, "only what the index serves"},
		{"sources", func(p *pipPackage) { p.Download.URL = "https://index.example/x-1.0.tar.gz" }, false, "is no wheel"},
		{"sources, with scripts", func(p *pipPackage) { p.Download.URL = "https://index.example/x-1.0.tar.gz" }, true, ""},
		{"a short hash", func(p *pipPackage) { p.Download.Archive.Hashes["sha256"] = ones[1:] }, false, "has no sha256"},
		{"no hash", func(p *pipPackage) { p.Download.Archive.Hashes["sha256"] = strings.Repeat("x", 64) }, true, "has no sha256"},
		{"a name that is a flag", func(p *pipPackage) { p.Metadata.Name = "-r" }, false, "names the package"},
		{"no version", func(p *pipPackage) { p.Metadata.Version = "" }, false, "names the package"},
	} {
		p := pipped(own, ones)
		c.change(p)
		j := &job{scripts: c.scripts, settings: &settings{registries: []registry{{"", "https://index.example/simple/"}}}}
		if err := pipCheck(p, j); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
