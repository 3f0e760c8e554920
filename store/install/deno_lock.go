package install

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/store/startline"
)

// denoLock is deno's name for the lock file, and denoJSRFile the URL of another jsr than jsr.io.
const (
	denoLock    = "deno.lock"
	denoJSRFile = "jsr-url"
)

// A denoLocks is a lock file. Keys of NPM and JSR are NAME@VERSION; behind npm's stand packages chosen as peers.
type denoLocks struct {
	Version    string            `json:"version"`
	Specifiers map[string]string `json:"specifiers"`
	NPM        map[string]struct {
		Integrity, Tarball string
	} `json:"npm"`
	JSR    map[string]struct{ Integrity string } `json:"jsr"`
	Remote map[string]string                     `json:"remote"`
}

func denoRead(root *os.Root) (*denoLocks, error) {
	text, err := readRegular(root, denoLock, 64<<20)
	if err != nil {
		return nil, err
	}
	lock := new(denoLocks)
	if err := json.Unmarshal(text, lock); err != nil {
		return nil, fmt.Errorf("%s: %w", denoLock, err)
	}
	if lock.Version != "5" {
		return nil, fmt.Errorf("%s is of version %.20q, and 5 is needed", denoLock, lock.Version)
	}
	return lock, nil
}

// denoSplit takes NAME@VERSION_PEERS apart.
func denoSplit(key string) (name, version string) {
	at := strings.Index(key[min(1, len(key)):], "@") + 1
	name, version = key[:at], key[min(at+1, len(key)):]
	version, _, _ = strings.Cut(version, "_")
	return name, version
}

// exact is the version that the lock file has of a package that was asked for: denoPin left one specifier of it.
func (l *denoLocks) exact(spec startline.Spec) (string, error) {
	prefix := spec.Ecosystem + ":" + spec.Name + "@"
	for key, found := range l.Specifiers {
		version, _, _ := strings.Cut(found, "_")
		if key == prefix+version {
			return version, nil
		}
	}
	return "", fmt.Errorf("%s does not name %s", denoLock, spec)
}

// denoContents reads the lock file and the packages' own files.
func denoContents(j *job) (*contents, error) {
	root, err := os.OpenRoot(j.stage)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	spec := j.start.Specs[0]
	if err := denoPin(j, root, spec); err != nil {
		return nil, err
	}
	lock, err := denoRead(root)
	if err != nil {
		return nil, err
	}
	c := &contents{lock: denoLock, name: spec.Name, registry: j.settings.of(spec.Name)}
	if spec.Ecosystem == "jsr" {
		c.registry = j.settings.jsr()
	}
	if c.version, err = lock.exact(spec); err != nil {
		return nil, err
	}
	for url := range lock.Remote {
		return nil, errors.New("a dependency comes from " + redact(url) + ": only what a registry serves is installed")
	}
	for _, key := range slices.Sorted(maps.Keys(lock.JSR)) {
		e := lock.JSR[key]
		if sum, err := hex.DecodeString(e.Integrity); err != nil || len(sum) != 32 {
			return nil, fmt.Errorf("%s has no hash of %s: a sha256 is needed", denoLock, key)
		}
		c.packages++
		if name, version := denoSplit(key); spec.Ecosystem == "jsr" && name == spec.Name && version == c.version {
			c.integrity = "sha256-" + e.Integrity
		}
	}
	return c, denoPackages(j, root, lock, c)
}

// denoPackages looks at the packages of npm's.
func denoPackages(j *job, root *os.Root, lock *denoLocks, c *contents) error {
	for _, key := range slices.Sorted(maps.Keys(lock.NPM)) {
		e := lock.NPM[key]
		name, version := denoSplit(key)
		if e.Tarball != "" && j.settings.serving(e.Tarball) == "" {
			return notOurs(name, e.Tarball)
		}
		if e.Integrity != "" && !strings.Contains(e.Integrity, "-") { // deno's way of a shasum
			e.Integrity = "sha1-" + e.Integrity
		}
		if err := npmIntegrity(name, e.Integrity); err != nil {
			return err
		}
		if j.start.Specs[0].Ecosystem == "npm" && name == c.name && version == c.version {
			c.integrity = e.Integrity
		}
		folder := denoPackage(root, name, version)
		if folder == "" {
			continue // of another system
		}
		c.packages++
		if npmHasScript(root, filepath.ToSlash(folder)) {
			c.scripts = append(c.scripts, name)
		}
		if err := denoOldEnough(j, root, folder, name, version); err != nil {
			return err
		}
	}
	if c.integrity == "" {
		return fmt.Errorf("%s has no hash of %s@%s", denoLock, c.name, c.version)
	}
	slices.Sort(c.scripts)
	c.scripts = slices.Compact(c.scripts)
	return nil
}

// denoOldEnough demands that the registry says when a version was published, and that this is not after job.before.
// Deno takes versions of which a registry tells no time. What a registry answered lies beside the versions' folders.
func denoOldEnough(j *job, root *os.Root, folder, name, version string) error {
	if j.before.IsZero() {
		return nil
	}
	text, err := readRegular(root, path.Join(path.Dir(filepath.ToSlash(folder)), "registry.json"), 256<<20)
	if err != nil {
		return err
	}
	var answer struct{ Time map[string]string }
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	return oldEnough(j, name, version, answer.Time[version])
}

// oldEnough compares the time of publication that a registry told.
func oldEnough(j *job, name, version, told string) error {
	published, err := time.Parse(time.RFC3339, told)
	if err != nil {
		return fmt.Errorf("the registry does not say when %s@%s was published: --min-age cannot be held", name, version)
	}
	if published.After(j.before) {
		return fmt.Errorf("%s@%s was published %s, and --min-age demands %s or earlier", name, version,
			published.UTC().Format(time.DateTime), j.before.UTC().Format(time.DateTime))
	}
	return nil
}

// denoPackage is the folder of a package of npm's in DENO_DIR, where each registry has one; "" is for none.
func denoPackage(root *os.Root, name, version string) string {
	hosts, _ := fs.ReadDir(root.FS(), path.Join(denoFolder, "npm"))
	for _, h := range hosts {
		folder := path.Join(denoFolder, "npm", h.Name(), name, version)
		if info, err := root.Lstat(folder); err == nil && info.IsDir() {
			return filepath.FromSlash(folder)
		}
	}
	return ""
}

// denoPin writes the exact version into the lock file in place of what was asked for: each start asks for that.
func denoPin(j *job, root *os.Root, spec startline.Spec) error {
	text, err := readRegular(root, denoLock, 64<<20)
	if err != nil {
		return err
	}
	all := map[string]json.RawMessage{}
	specifiers := map[string]string{}
	if err := errors.Join(json.Unmarshal(text, &all), json.Unmarshal(all["specifiers"], &specifiers)); err != nil {
		return fmt.Errorf("%s: %w", denoLock, err)
	}
	prefix, asked := spec.Ecosystem+":"+spec.Name+"@", ""
	for key := range specifiers {
		if strings.HasPrefix(key, prefix) && (asked == "" || key == prefix+first(spec.Range, "*")) {
			asked = key
		}
	}
	if asked == "" {
		return fmt.Errorf("%s does not name %s", denoLock, spec)
	}
	found := specifiers[asked]
	version, _, _ := strings.Cut(found, "_")
	delete(specifiers, asked)
	specifiers[prefix+version] = found
	if all["specifiers"], err = json.Marshal(specifiers); err != nil {
		return err
	}
	if text, err = json.MarshalIndent(all, "", "  "); err != nil {
		return err
	}
	return j.write(filepath.Join(j.stage, denoLock), append(text, '\n'))
}
