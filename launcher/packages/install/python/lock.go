package python

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

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
)

const (
	reportFile = "report.json"
	lockFile   = "pylock.toml" // as packaging.python.org/specifications/pylock-toml
)

// mostReport bounds pip's report, in bytes: it has the texts of all packages.
const mostReport = 64 << 20

// A reported is a package in pip's report.
type reported struct {
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

// separators are the runs of signs that PEP 503 takes for one dash.
var separators = job.Pattern(`[-_.]+`)

// normal is the one form of a name.
func normal(name string) string {
	return strings.ToLower(separators().ReplaceAllString(name, "-"))
}

// contents reads pip's report, writes the lock file, and looks whether the environment is still the one that was
// made: a wheel may have files for all of its folders.
func contents(j *job.Job, a *answer) (*job.Contents, error) {
	found := &job.Contents{Lock: lockFile, Registry: j.Settings.Registries[0].URL}
	root, err := os.OpenRoot(j.Stage)
	if err != nil {
		return found, err
	}
	defer root.Close()
	if err := checkIntact(root, a); err != nil {
		return found, err
	}
	text, err := job.ReadRegular(root, filepath.Base(j.Private)+"/"+reportFile, mostReport)
	if err != nil {
		return found, err
	}
	var report struct{ Install []reported }
	if err := json.Unmarshal(text, &report); err != nil || len(report.Install) == 0 {
		return found, errors.Join(errors.New("pip's report names no package"), err)
	}
	all := report.Install
	found.Packages = len(all)
	for i := range all {
		p := &all[i]
		p.Metadata.Name = normal(p.Metadata.Name)
		if err := check(p, j); err != nil {
			return found, err
		}
	}
	slices.SortFunc(all, func(a, b reported) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	owner, _, err := choose(root, j.Start)
	if err != nil {
		owner = j.Start.Specs[0].Name // a program may not be wanted; else the entry names those there
	}
	i := slices.IndexFunc(all, func(p reported) bool { return p.Metadata.Name == owner })
	if i < 0 {
		return found, fmt.Errorf("pip's report does not name %s", owner)
	}
	found.Name, found.Version, found.Integrity = owner, all[i].Metadata.Version, "sha256:"+all[i].hash()
	found.Outside = []string{a.Python}
	return found, j.Write(filepath.Join(j.Stage, lockFile), lockText(all, a, found.Registry))
}

// checkIntact refuses an environment in which a package has replaced the interpreter or the marker.
func checkIntact(root *os.Root, a *answer) error {
	text, err := job.ReadRegular(root, "pyvenv.cfg", 4<<10)
	target, bad := root.Readlink(interpreter)
	if err != nil || bad != nil || target != a.Python || !bytes.Equal(text, marker(a)) {
		return errors.New("a package has replaced the interpreter of its environment (pyvenv.cfg or " + interpreter +
			"): refused")
	}
	return nil
}

// hash is the SHA-256 of an archive: the index's, which pip has compared, else the fetched archive's. "" is none.
func (p *reported) hash() string {
	if p.Download.Archive == nil {
		return ""
	}
	sum := p.Download.Archive.Hashes["sha256"]
	if len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" {
		return ""
	}
	return sum
}

// check refuses an archive that is no wheel with a SHA-256 from the index.
func check(p *reported, j *job.Job) error {
	name, from := p.Metadata.Name, job.Redact(p.Download.URL)
	switch {
	case !validName().MatchString(name) || !validRange().MatchString(p.Metadata.Version) || p.Metadata.Version == "":
		return fmt.Errorf("pip's report names the package %.100q, version %.100q", name, p.Metadata.Version)
	case p.Direct || p.Download.Archive == nil:
		return fmt.Errorf("dependency %s comes from %.200s: only what the index serves is installed", name, from)
	case j.Settings.Serving(withoutUser(p.Download.URL)) == "":
		return fmt.Errorf("dependency %s comes from %.200s, which is none of your registries: refused", name, from)
	case !j.Scripts && !strings.HasSuffix(fileOf(p), ".whl"):
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

// fileOf is the name of a package's archive.
func fileOf(p *reported) string {
	u, err := url.Parse(p.Download.URL)
	if err != nil {
		return ""
	}
	return u.Path[strings.LastIndexByte(u.Path, '/')+1:]
}

// lockText is the lock file: the same text for the same archives.
func lockText(all []reported, a *answer, index string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "lock-version = \"1.0\"\ncreated-by = \"mcp-sandbox\"\nrequires-python = %s\n",
		strconv.QuoteToASCII("=="+a.Full))
	for i := range all {
		p := &all[i]
		start, end := "wheels = [", "]"
		if !strings.HasSuffix(fileOf(p), ".whl") {
			start, end = "sdist = ", ""
		}
		fmt.Fprintf(&b, "\n[[packages]]\nname = %q\nversion = %q\nindex = %q\n", p.Metadata.Name, p.Metadata.Version,
			index)
		fmt.Fprintf(&b, "%s{ name = %q, url = %q, hashes = { sha256 = %q } }%s\n", start, fileOf(p),
			withoutUser(p.Download.URL), p.hash(), end)
	}
	return b.Bytes()
}
