package install

import (
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

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// npmLock is npm's name for the lock file.
const npmLock = "package-lock.json"

// An npmLocked is an entry of the lock file, by its folder below the stage; package-lock.json(5).
type npmLocked struct {
	Name             string `json:"name"` // where the folder has another
	Version          string `json:"version"`
	Resolved         string `json:"resolved"`
	Integrity        string `json:"integrity"`
	HasInstallScript bool   `json:"hasInstallScript"`
	InBundle         bool   `json:"inBundle"`
	Link             bool   `json:"link"`
}

// npmFound is what an install of npm left.
type npmFound struct {
	*contents
	text []byte // of the lock file
}

// npmContents reads the lock file and the packages' own files, before a program of theirs has run.
func npmContents(j *job) (npmFound, error) {
	found := npmFound{contents: &contents{lock: npmLock}}
	root, err := os.OpenRoot(j.stage)
	if err != nil {
		return found, err
	}
	defer root.Close()
	text, err := readRegular(root, npmLock, mostList)
	if err != nil {
		return found, err
	}
	var lock struct {
		Version  int                  `json:"lockfileVersion"`
		Packages map[string]npmLocked `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil || lock.Version < 2 || len(lock.Packages) == 0 {
		return found, fmt.Errorf("%s is of version %d, and 2 or 3 is needed: use npm 7 or newer", npmLock, lock.Version)
	}
	delete(lock.Packages, "")
	found.text = text
	folders := slices.Sorted(maps.Keys(lock.Packages))
	for _, folder := range folders {
		if err := npmCheck(lock.Packages, folder, j.settings); err != nil {
			return found, err
		}
	}
	for _, folder := range folders {
		if _, err := root.Lstat(folder); err != nil {
			continue // of another system
		}
		found.packages++
		if lock.Packages[folder].HasInstallScript || npmHasScript(root, folder) {
			found.scripts = append(found.scripts, npmNameOf(folder))
		}
	}
	slices.Sort(found.scripts)
	found.scripts = slices.Compact(found.scripts)
	owner, err := npmOwner(root, j.start)
	if err != nil {
		return found, err
	}
	main, ok := lock.Packages["node_modules/"+owner]
	if !ok {
		return found, fmt.Errorf("%s does not name %s", npmLock, owner)
	}
	found.name, found.version, found.integrity = owner, main.Version, main.Integrity
	found.registry = j.settings.serving(main.Resolved)
	return found, nil
}

// npmNameOf is the name of the package in a folder.
func npmNameOf(folder string) string {
	if i := strings.LastIndex(folder, "node_modules/"); i >= 0 {
		return folder[i+len("node_modules/"):]
	}
	return folder
}

// npmCheck refuses an entry that is no archive with a SHA-512 from one of the registries, nor lies in such an archive.
func npmCheck(all map[string]npmLocked, folder string, s *settings) error {
	e, name := all[folder], npmNameOf(folder)
	for e.InBundle {
		folder = strings.TrimSuffix(folder[:max(0, strings.LastIndex(folder, "node_modules/"))], "/")
		parent, ok := all[folder]
		if !ok {
			return fmt.Errorf("%s says that %s came inside of another package, and names none", npmLock, name)
		}
		e = parent
	}
	if !strings.HasPrefix(folder, "node_modules/") || path.Clean(folder) != folder {
		for other, e := range all { // by its name, if there is one
			if e.Link && e.Resolved == folder {
				name = npmNameOf(other)
			}
		}
		return fmt.Errorf("dependency %s is the folder %.100q: only what a registry serves is installed", name, folder)
	}
	scheme, _, _ := strings.Cut(e.Resolved, ":")
	if e.Link || scheme == "file" || e.Resolved == "" || s.serving(e.Resolved) == "" {
		return fmt.Errorf("dependency %s comes from %.200q: only what a registry serves is installed", name,
			redact(e.Resolved))
	}
	return npmIntegrity(name, e.Integrity)
}

// npmIntegrity refuses hashes of which none is a SHA-512.
func npmIntegrity(name, integrity string) error {
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

// An npmManifest is what is read of a package's own package.json.
type npmManifest struct {
	Name    string            `json:"name"`
	Bin     json.RawMessage   `json:"bin"`
	Scripts map[string]string `json:"scripts"`
}

// bins are the programs of a package and their files.
func (m *npmManifest) bins(name string) map[string]string {
	var one string
	if json.Unmarshal(m.Bin, &one) == nil {
		return map[string]string{path.Base(name): one}
	}
	var all map[string]string
	json.Unmarshal(m.Bin, &all)
	return all
}

func npmRead(root *os.Root, folder string) (*npmManifest, error) {
	text, err := readRegular(root, path.Join(folder, "package.json"), mostManifest)
	m := new(npmManifest)
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	return m, err
}

// npmHasScript reports whether `npm rebuild` would run a program of a package, whatever the registry says of it.
func npmHasScript(root *os.Root, folder string) bool {
	m, err := npmRead(root, folder)
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

// npmOwner is the package that was asked for; of several the first with the command.
func npmOwner(root *os.Root, s *startline.Start) (string, error) {
	if len(s.Specs) == 0 {
		return "", errors.New("no package is named")
	}
	var last error
	for _, spec := range s.Specs {
		m, err := npmRead(root, filepath.ToSlash(filepath.Join("node_modules", spec.Name)))
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
