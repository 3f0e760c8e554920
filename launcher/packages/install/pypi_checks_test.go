package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// The time of an archive is that of the file with its name and its hash.
func TestAgeOfAnArchive(t *testing.T) {
	const own, other = "x-1.0-py3-none-any.whl", "x-1.0-cp313-cp313-linux.whl"
	ones, twos := strings.Repeat("1", 64), strings.Repeat("2", 64)
	file := func(name, hash, time string) string {
		return `{"filename":"` + name + `","hashes":{"sha256":"` + hash + `"},"upload-time":"` + time + `"}`
	}
	const old, young = "2026-01-01T00:00:00.5Z", "2026-03-01T00:00:00Z"
	before := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, files, want string }{
		{"old", file(own, ones, old), ""},
		{"young", file(own, ones, young), "was uploaded 2026-03-01"},
		{"another hash", file(own, twos, old), "does not say"},
		{"another hash before its own", file(own, twos, old) + "," + file(own, ones, young), "was uploaded 2026-03-01"},
		{"another hash, young", file(own, twos, young) + "," + file(own, ones, old), ""},
		{"another name", file(other, ones, old), "does not say"},
		{"no hash", file(own, "", old), "does not say"},
		{"no time", file(own, ones, ""), "does not say"},
		{"none", "", "does not say"},
	} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "x"), `{"files":[`+c.files+`]}`)
		root, err := os.OpenRoot(folder)
		if err != nil {
			t.Fatal(err)
		}
		err = pipOldEnough(root, pipped(own, ones), before)
		root.Close()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
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
