package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/store/startline"
	"go.yaml.in/yaml/v3"
)

// pnpmLock is pnpm's name for the lock file, and pnpmStore the folder with a folder for each package.
const (
	pnpmLock  = "pnpm-lock.yaml"
	pnpmStore = "node_modules/.pnpm"
)

// A pnpmLocked is what the lock file says of an archive. A package of a registry has no more than the first two.
type pnpmLocked struct {
	Integrity, Tarball, Type, Repo, Directory, Path string
}

// A pnpmDocument is a document of the lock file, of which newer versions have two.
type pnpmDocument struct {
	Version   string `yaml:"lockfileVersion"`
	Importers map[string]struct {
		Dependencies map[string]struct{ Version string }
	}
	Packages map[string]struct{ Resolution pnpmLocked }
}

// pnpmDocuments reads the lock file.
func pnpmDocuments(text []byte) (all []pnpmDocument, err error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var one pnpmDocument
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pnpmLock, err)
		}
		if one.Version != "9.0" {
			return nil, fmt.Errorf("%s is of version %.20q, and 9.0 is needed", pnpmLock, one.Version)
		}
		all = append(all, one)
	}
}

// pnpmContents reads the lock file and the packages' own files, before a program of theirs has run.
func pnpmContents(j *job) (*contents, error) {
	root, err := os.OpenRoot(j.stage)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	text, err := readRegular(root, pnpmLock, 64<<20)
	if err != nil {
		return nil, err
	}
	documents, err := pnpmDocuments(text)
	if err != nil {
		return nil, err
	}
	owner, err := npmOwner(root, j.start)
	if err != nil {
		return nil, err
	}
	c := &contents{lock: pnpmLock, name: owner}
	for _, d := range documents {
		for _, key := range slices.Sorted(maps.Keys(d.Packages)) {
			if err := pnpmCheck(key, d.Packages[key].Resolution, j.settings); err != nil {
				return nil, err
			}
		}
		version, _, _ := strings.Cut(d.Importers["."].Dependencies[owner].Version, "(")
		if locked, ok := d.Packages[owner+"@"+version]; ok {
			c.version, c.integrity = version, locked.Resolution.Integrity
			if c.registry = j.settings.serving(locked.Resolution.Tarball); c.registry == "" {
				c.registry = j.settings.of(owner)
			}
		}
	}
	if c.version == "" {
		return nil, fmt.Errorf("%s does not name %s", pnpmLock, owner)
	}
	if err := pnpmInstalled(root, c); err != nil {
		return nil, err
	}
	return c, pnpmTold(j, documents)
}

// pnpmIntegrity is a hash as a registry tells it.
var pnpmIntegrity = pattern(`"integrity"\s*:\s*"([^"\s]+)"`)

// pnpmTold demands that the registries told the hashes of the lock file: of an archive for which a registry told none
// pnpm 12 writes the hash of what came. pnpm keeps what registries answered as they did, each version in its own way.
func pnpmTold(j *job, documents []pnpmDocument) error {
	told := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(j.private, "cache"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.Contains(path, "metadata") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, found := range pnpmIntegrity().FindAllSubmatch(b, -1) {
			told[strings.ReplaceAll(string(found[1]), `\/`, "/")] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range documents {
		for key, p := range d.Packages {
			if name := key[:strings.LastIndex(key, "@")]; !told[p.Resolution.Integrity] {
				return npmIntegrity(name, "")
			}
		}
	}
	return nil
}

// pnpmCheck refuses an entry that is no archive with a SHA-512 from one of the registries. An entry without a URL has
// the one that pnpm makes of the registry's and the name.
func pnpmCheck(key string, e pnpmLocked, s *settings) error {
	at := strings.Index(key[min(1, len(key)):], "@") + 1
	name, from := key[:at], key[min(at+1, len(key)):]
	switch {
	case e.Type == "git" || e.Repo != "":
		return errors.New(notServed(name + "@" + e.Repo))
	case e.Type != "" || e.Directory != "" || e.Path != "" || strings.HasPrefix(from, "file:"):
		return errors.New(notServed(name + "@" + from))
	case strings.Contains(from, ":") && s.serving(e.Tarball) == "":
		return errors.New(notServed(name + "@" + from))
	case e.Tarball != "" && s.serving(e.Tarball) == "":
		return notOurs(name, e.Tarball)
	}
	return npmIntegrity(name, e.Integrity)
}

// notOurs is the refusal of an archive from elsewhere.
func notOurs(name, from string) error {
	return fmt.Errorf("dependency %s comes from %.200s, which is none of your registries: refused", name, redact(from))
}

// pnpmInstalled counts the packages that are there. A package's folder is node_modules/.pnpm/ID/node_modules/NAME, and
// the packages that it needs are links beside it.
func pnpmInstalled(root *os.Root, c *contents) error {
	ids, err := fs.ReadDir(root.FS(), pnpmStore)
	if err != nil {
		return err
	}
	for _, id := range ids {
		beside := path.Join(pnpmStore, id.Name(), "node_modules")
		for _, name := range pnpmFolders(root, beside) {
			c.packages++
			if npmHasScript(root, path.Join(beside, name)) {
				c.scripts = append(c.scripts, name)
			}
		}
	}
	slices.Sort(c.scripts)
	c.scripts = slices.Compact(c.scripts)
	return nil
}

// pnpmFolders are the packages in a node_modules that are folders themselves and no links to others.
func pnpmFolders(root *os.Root, beside string) (names []string) {
	entries, _ := fs.ReadDir(root.FS(), beside)
	for _, e := range entries {
		switch {
		case !e.IsDir() || e.Name() == ".bin":
		case strings.HasPrefix(e.Name(), "@"):
			scoped, _ := fs.ReadDir(root.FS(), path.Join(beside, e.Name()))
			for _, s := range scoped {
				if s.IsDir() {
					names = append(names, path.Join(e.Name(), s.Name()))
				}
			}
		default:
			names = append(names, e.Name())
		}
	}
	return names
}

// pnpmEntry is the program's file in the folder of its package: node_modules/.bin has scripts of sh(1) that start that
// file by node and set NODE_PATH, in which old programs look for packages that they did not name. Some of those scripts
// have the path of the stage for NODE_PATH, which does not exist any more.
func pnpmEntry(folder string, s *startline.Start) (*entry, error) {
	p, err := npmProgramOf(folder, s)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	own := filepath.Join(folder, p.own)
	beside := strings.TrimSuffix(own, string(filepath.Separator)+filepath.FromSlash(p.owner))
	search := []string{filepath.Join(own, "node_modules"), beside, filepath.Join(folder, pnpmStore, "node_modules")}
	return &entry{owner: p.owner, command: scriptCommand(root, folder, p.file),
		path: filepath.Join(folder, "node_modules", ".bin"),
		env:  []string{"NODE_PATH=" + strings.Join(search, string(filepath.ListSeparator))}}, nil
}
