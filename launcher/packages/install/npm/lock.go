package npm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// lockFile is npm's name for the lock file.
const lockFile = "package-lock.json"

// A locked is an entry of the lock file, by its folder below the stage; package-lock.json(5).
type locked struct {
	Name             string `json:"name"` // where the folder has another
	Version          string `json:"version"`
	Resolved         string `json:"resolved"`
	Integrity        string `json:"integrity"`
	HasInstallScript bool   `json:"hasInstallScript"`
	InBundle         bool   `json:"inBundle"`
	HasShrinkwrap    bool   `json:"hasShrinkwrap"`
	Link             bool   `json:"link"`
}

// result is the outcome of an install of npm.
type result struct {
	*job.Contents
	text []byte // of the lock file
}

// contents reads the lock file and the packages' own files, before a program of theirs has run.
func contents(j *job.Job) (result, error) {
	found := result{Contents: &job.Contents{Lock: lockFile}}
	root, err := os.OpenRoot(j.Stage)
	if err != nil {
		return found, err
	}
	defer root.Close()
	text, err := job.ReadRegular(root, lockFile, job.MostList)
	if err != nil {
		return found, err
	}
	var lock struct {
		Version  int               `json:"lockfileVersion"`
		Packages map[string]locked `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil || lock.Version < 2 || len(lock.Packages) == 0 {
		return found, fmt.Errorf("%s is of version %d, and 2 or 3 is needed: use npm 7 or newer", lockFile,
			lock.Version)
	}
	delete(lock.Packages, "")
	found.text = text
	folders := slices.Sorted(maps.Keys(lock.Packages))
	for _, folder := range folders {
		if err := check(lock.Packages, folder, j.Settings); err != nil {
			return found, err
		}
	}
	for _, folder := range folders {
		if _, err := root.Lstat(folder); err != nil {
			continue // of another system
		}
		found.Packages++
		if lock.Packages[folder].HasInstallScript || hasScript(root, folder) {
			found.Scripts = append(found.Scripts, nameOf(folder))
		}
	}
	slices.Sort(found.Scripts)
	found.Scripts = slices.Compact(found.Scripts)
	owner, err := ownerOf(root, j.Start)
	if err != nil {
		return found, err
	}
	main, ok := lock.Packages["node_modules/"+owner]
	if !ok {
		return found, fmt.Errorf("%s does not name %s", lockFile, owner)
	}
	found.Name, found.Version, found.Integrity = owner, main.Version, main.Integrity
	found.Registry = j.Settings.Serving(main.Resolved)
	return found, nil
}

// nameOf is the name of the package in a folder.
func nameOf(folder string) string {
	if i := strings.LastIndex(folder, "node_modules/"); i >= 0 {
		return folder[i+len("node_modules/"):]
	}
	return folder
}

// above is the folder of the package in which a dependency's lies, or "".
func above(folder string) string {
	return strings.TrimSuffix(folder[:max(0, strings.LastIndex(folder, "node_modules/"))], "/")
}

// check refuses an entry that is no archive with a SHA-512 from one of the registries, nor lies in such an archive.
func check(all map[string]locked, folder string, s *job.Settings) error {
	e, name := all[folder], nameOf(folder)
	if e.InBundle && e.Resolved == "" { // a shrinkwrap says what is bundled, of packages below too
		for at := above(folder); at != ""; at = above(at) {
			if all[at].HasShrinkwrap {
				return fmt.Errorf("npm-shrinkwrap.json of %s names no archive of dependency %s", nameOf(at), name)
			}
		}
	}
	for e.InBundle && e.Resolved == "" { // npm fetches bundled packages that the archive has not
		folder = above(folder)
		parent, ok := all[folder]
		if !ok {
			return fmt.Errorf("%s says that %s came inside of another package, and names none", lockFile, name)
		}
		e = parent
	}
	if !strings.HasPrefix(folder, "node_modules/") || path.Clean(folder) != folder {
		for other, e := range all { // by its name, if there is one
			if e.Link && e.Resolved == folder {
				name = nameOf(other)
			}
		}
		return fmt.Errorf("dependency %s is the folder %.100q: only what a registry serves is installed", name, folder)
	}
	scheme, _, _ := strings.Cut(e.Resolved, ":")
	if e.Link || scheme == "file" || e.Resolved == "" || s.Serving(e.Resolved) == "" {
		return fmt.Errorf("dependency %s comes from %.200q: only what a registry serves is installed", name,
			job.Redact(e.Resolved))
	}
	return checkIntegrity(name, e.Integrity)
}

// checkIntegrity refuses hashes of which none is a SHA-512.
func checkIntegrity(name, integrity string) error {
	weaker := "no hash"
	for _, word := range strings.Fields(integrity) {
		kind, sum, _ := strings.Cut(word, "-")
		if b, err := base64.StdEncoding.DecodeString(sum); kind == "sha512" && err == nil && len(b) == 64 {
			return nil
		}
		weaker = "only a " + kind + " hash"
	}
	return fmt.Errorf("the registry has %s of the archive of %s: a sha512 is needed", weaker, name)
}

// mostManifest is how many bytes a package.json may have.
const mostManifest = 4 << 20

// A manifest has the fields that are read of a package's own package.json.
type manifest struct {
	Name    string            `json:"name"`
	Bin     json.RawMessage   `json:"bin"`
	Scripts map[string]string `json:"scripts"`
}

// bins are the programs of a package and their files, by names as npm's package npm-normalize-package-bin makes them.
// Of two keys for one name the last by the alphabet counts.
func (m *manifest) bins(name string) map[string]string {
	var one string
	if json.Unmarshal(m.Bin, &one) == nil {
		return map[string]string{path.Base(name): one}
	}
	var all map[string]string
	json.Unmarshal(m.Bin, &all)
	named := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		named[path.Base(strings.NewReplacer(`\`, "/", ":", "/").Replace(key))] = all[key]
	}
	return named
}

func readManifest(root *os.Root, folder string) (*manifest, error) {
	text, err := job.ReadRegular(root, path.Join(folder, "package.json"), mostManifest)
	m := new(manifest)
	if err == nil {
		err = json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), m) // a mark of the encoding, as npm has it
	}
	return m, err
}

// hasScript reports whether `npm rebuild` would run a program of a package, whatever the registry says of it.
func hasScript(root *os.Root, folder string) bool {
	m, err := readManifest(root, folder)
	if err != nil {
		return false
	}
	for _, name := range []string{"preinstall", "install", "postinstall"} {
		if m.Scripts[name] != "" {
			return true
		}
	}
	_, err = root.Lstat(path.Join(folder, "binding.gyp"))
	return err == nil
}

// ownerOf is the package that was asked for; of several the first with the command.
func ownerOf(root *os.Root, s *startline.Start) (string, error) {
	if len(s.Specs) == 0 {
		return "", errors.New("no package is named")
	}
	var last error
	for _, spec := range s.Specs {
		m, err := readManifest(root, filepath.ToSlash(filepath.Join("node_modules", spec.Name)))
		if err != nil {
			return "", err
		}
		if len(s.Specs) == 1 && s.Bin == "" {
			return spec.Name, nil
		}
		if _, last = startline.ChooseBin(spec.Name, m.bins(spec.Name), s.Bin); last == nil {
			return spec.Name, nil
		}
	}
	return "", last
}
