package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// bunLock is bun's name for the lock file.
const bunLock = "bun.lock"

// A bunLocked is an entry of the lock file: ["NAME@VERSION", "URL", {…}, "sha512-…"] for an archive of a registry.
type bunLocked struct {
	name, version string
	url           string // "" for that of the default registry
	integrity     string
	bundled       bool // it came inside of another archive
}

// bunContents reads the lock file and the packages' own files, before a program of theirs has run.
func bunContents(j *job) (c *contents, locked []bunLocked, err error) {
	root, err := os.OpenRoot(j.stage)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	text, err := readRegular(root, bunLock, 64<<20)
	if err != nil {
		return nil, nil, err
	}
	var lock struct {
		Version  int                          `json:"lockfileVersion"`
		Packages map[string][]json.RawMessage `json:"packages"`
	}
	if err := json.Unmarshal(withoutTrailingCommas(text), &lock); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", bunLock, err)
	}
	owner, err := npmOwner(root, j.start)
	if err != nil {
		return nil, nil, err
	}
	c = &contents{lock: bunLock, name: owner}
	for _, key := range slices.Sorted(maps.Keys(lock.Packages)) {
		e, err := bunCheck(lock.Packages[key], j.settings)
		if err != nil {
			return nil, nil, err
		}
		if key == owner {
			c.version, c.integrity, c.registry = e.version, e.integrity, j.settings.serving(e.url)
			if e.url == "" {
				c.registry = j.settings.of(owner)
			}
		}
		folder := bunFolder(key)
		if _, err := root.Lstat(folder); err != nil {
			continue // of another system
		}
		c.packages++
		if !e.bundled {
			locked = append(locked, e)
		}
		if npmHasScript(root, folder) {
			c.scripts = append(c.scripts, e.name)
		}
	}
	if c.version == "" {
		return nil, nil, fmt.Errorf("%s does not name %s", bunLock, owner)
	}
	slices.Sort(c.scripts)
	c.scripts = slices.Compact(c.scripts)
	return c, locked, nil
}

// bunFolder is the folder of a key as "a/@b/c": a package, and one that only the package before may see.
func bunFolder(key string) string {
	folder := ""
	parts := strings.Split(key, "/")
	for i := 0; i < len(parts); i++ {
		name := parts[i]
		if strings.HasPrefix(name, "@") && i+1 < len(parts) {
			i++
			name += "/" + parts[i]
		}
		folder = path.Join(folder, "node_modules", name)
	}
	return folder
}

// bunCheck refuses an entry that is no archive with a SHA-512 from one of the registries, nor lies in such an archive.
func bunCheck(parts []json.RawMessage, s *settings) (e bunLocked, err error) {
	if len(parts) == 0 || json.Unmarshal(parts[0], &e.name) != nil || len(e.name) < 3 {
		return e, errors.New(bunLock + " is not understood: an entry without a name")
	}
	at := strings.Index(e.name[1:], "@") + 1
	if at == 0 {
		return e, fmt.Errorf("%s is not understood: %.100q", bunLock, e.name)
	}
	id := e.name
	e.name, e.version = id[:at], id[at+1:]
	if strings.ContainsAny(e.version, ":/#") || len(parts) != 4 || json.Unmarshal(parts[1], &e.url) != nil ||
		json.Unmarshal(parts[3], &e.integrity) != nil {
		return e, errors.New(notServed(id))
	}
	var info struct{ Bundled bool }
	if json.Unmarshal(parts[2], &info) == nil && info.Bundled {
		e.bundled = true
		return e, nil
	}
	if e.url != "" && s.serving(e.url) == "" {
		return e, notOurs(e.name, e.url)
	}
	return e, npmIntegrity(e.name, e.integrity)
}

// withoutTrailingCommas makes JSON of the text of bun.lock, in which a comma may stand behind the last element.
func withoutTrailingCommas(text []byte) []byte {
	out := make([]byte, 0, len(text))
	comma, quoted := -1, false
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case quoted && b == '\\' && i+1 < len(text):
			out = append(out, b)
			i++
			b = text[i]
		case b == '"':
			quoted, comma = !quoted, -1
		case quoted:
		case b == ',':
			comma = len(out)
		case b == '}' || b == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case b != ' ' && b != '\n' && b != '\r' && b != '\t':
			comma = -1
		}
		out = append(out, b)
	}
	return out
}
