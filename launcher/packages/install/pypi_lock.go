package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	pipReport = "report.json"
	pipLock   = "pylock.toml" // as packaging.python.org/specifications/pylock-toml
)

// A pipPackage is one of those that pip's report names.
type pipPackage struct {
	Download struct {
		URL     string `json:"url"`
		Archive *struct {
			Hashes map[string]string `json:"hashes"`
		} `json:"archive_info"`
	} `json:"download_info"`
	Direct   bool `json:"is_direct"`
	Metadata struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"metadata"`
}

// pipSeparators are what PEP 503 takes for one dash.
var pipSeparators = pattern(`[-_.]+`)

// pipNormal is the one form of a name.
func pipNormal(name string) string {
	return strings.ToLower(pipSeparators().ReplaceAllString(name, "-"))
}

// pipContents reads pip's report, writes the lock file, and looks whether the environment is still the one that was
// made: a wheel may have files for all of its folders.
func pipContents(j *job) (*contents, error) {
	found := &contents{lock: pipLock, registry: j.settings.registries[0].url}
	root, err := os.OpenRoot(j.stage)
	if err != nil {
		return found, err
	}
	defer root.Close()
	if err := pipIntact(root, j.settings.python); err != nil {
		return found, err
	}
	text, err := readRegular(root, filepath.Base(j.private)+"/"+pipReport, mostReport)
	if err != nil {
		return found, err
	}
	var report struct{ Install []pipPackage }
	if err := json.Unmarshal(text, &report); err != nil || len(report.Install) == 0 {
		return found, errors.Join(errors.New("pip's report names no package"), err)
	}
	all := report.Install
	found.packages = len(all)
	for i := range all {
		p := &all[i]
		p.Metadata.Name = pipNormal(p.Metadata.Name)
		if err := pipCheck(p, j); err != nil {
			return found, err
		}
	}
	slices.SortFunc(all, func(a, b pipPackage) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	owner, _, err := pipChoose(root, j.start)
	if err != nil {
		owner = j.start.Specs[0].Name // a program may not be wanted; else the entry says what there is
	}
	i := slices.IndexFunc(all, func(p pipPackage) bool { return p.Metadata.Name == owner })
	if i < 0 {
		return found, fmt.Errorf("pip's report does not name %s", owner)
	}
	found.name, found.version, found.integrity = owner, all[i].Metadata.Version, "sha256:"+all[i].hash()
	found.outside = []string{j.settings.python.Python}
	return found, j.write(filepath.Join(j.stage, pipLock), pipLockText(all, j.settings))
}

// pipIntact refuses an environment whose interpreter or marker a package has replaced.
func pipIntact(root *os.Root, a *pipAnswer) error {
	text, err := readRegular(root, "pyvenv.cfg", 4<<10)
	target, bad := root.Readlink(pipInterpreter)
	if err != nil || bad != nil || target != a.Python || !bytes.Equal(text, pipMarker(a)) {
		return errors.New("a package has replaced the interpreter of its environment (pyvenv.cfg or " + pipInterpreter +
			"): refused")
	}
	return nil
}

// hash is the SHA-256 of an archive: the index's, which pip has compared, else that of what came. "" is none.
func (p *pipPackage) hash() string {
	if p.Download.Archive == nil {
		return ""
	}
	sum := p.Download.Archive.Hashes["sha256"]
	if len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" {
		return ""
	}
	return sum
}

// pipCheck refuses what is no wheel with a SHA-256 from the index.
func pipCheck(p *pipPackage, j *job) error {
	name, from := p.Metadata.Name, redact(p.Download.URL)
	switch {
	case !pipName().MatchString(name) || !pipRange().MatchString(p.Metadata.Version) || p.Metadata.Version == "":
		return fmt.Errorf("pip's report names the package %.100q, version %.100q", name, p.Metadata.Version)
	case p.Direct || p.Download.Archive == nil:
		return fmt.Errorf("dependency %s comes from %.200s: only what the index serves is installed", name, from)
	case j.settings.serving(withoutUser(p.Download.URL)) == "":
		return fmt.Errorf("dependency %s comes from %.200s, which is none of your registries: refused", name, from)
	case !j.scripts && !strings.HasSuffix(pipFile(p), ".whl"):
		return fmt.Errorf("dependency %s is no wheel: %.200s", name, from)
	case p.hash() == "":
		return fmt.Errorf("the archive of %s has no sha256: refused", name)
	}
	return nil
}

// withoutUser is a URL without the name and password of a log-in, which pip adds to its index's.
func withoutUser(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}

// pipFile is the name of a package's archive.
func pipFile(p *pipPackage) string {
	u, err := url.Parse(p.Download.URL)
	if err != nil {
		return ""
	}
	return u.Path[strings.LastIndexByte(u.Path, '/')+1:]
}

// pipLockText is the lock file: the same text for the same archives.
func pipLockText(all []pipPackage, s *settings) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "lock-version = \"1.0\"\ncreated-by = \"mcp-sandbox\"\nrequires-python = %s\n",
		strconv.QuoteToASCII("=="+s.python.Full))
	for i := range all {
		p := &all[i]
		start, end := "wheels = [", "]"
		if !strings.HasSuffix(pipFile(p), ".whl") {
			start, end = "sdist = ", ""
		}
		fmt.Fprintf(&b, "\n[[packages]]\nname = %q\nversion = %q\nindex = %q\n", p.Metadata.Name, p.Metadata.Version,
			s.registries[0].url)
		fmt.Fprintf(&b, "%s{ name = %q, url = %q, hashes = { sha256 = %q } }%s\n", start, pipFile(p),
			withoutUser(p.Download.URL), p.hash(), end)
	}
	return b.Bytes()
}
