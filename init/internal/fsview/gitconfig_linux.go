package fsview

import (
	"errors"
	"os"
	"strings"
)

// How much of git's configuration is read. Beyond it the work tree is held as a whole.
const (
	maxConfig   = 1 << 20
	maxIncluded = 10  // how deep files that are included may include others; git has the same bound
	maxNamed    = 256 // by the configuration of one work tree
)

var errConfig = errors.New("git's configuration for it is longer, or names more, than is looked at")

// A setting is one that names something.
type setting struct {
	kind  naming
	value string
}

// A gitConfig is the work on what is configured for one work tree, or for none.
type gitConfig struct {
	*planner
	tree string // "" for none
	left int
}

// configured holds what the configuration of a work tree names in write grants: a repository's own files, or "" and the user's.
func (p *planner) configured(tree string, files ...string) error {
	if p.r.Shared || p.strict || len(p.writes) == 0 {
		return nil
	}
	c := gitConfig{p, tree, maxNamed}
	for _, home := range p.ownHomes() {
		files = append(files, join(home, ".gitconfig"), join(home, ".config/git/config"))
	}
	for _, file := range files {
		if err := c.file(file, 0); err != nil {
			return err
		}
	}
	return nil
}

func (c *gitConfig) file(file string, depth int) error {
	settings, err := c.settings(file)
	if err != nil || depth > maxIncluded {
		return c.whole()
	}
	for _, s := range settings {
		if at, ok := c.path(s.value, file[:strings.LastIndexByte(file, '/')]); ok && s.kind == namesTree {
			if r, err := c.host.resolve(at); err == nil {
				c.tree = r.path
			}
		}
	}
	for _, s := range settings {
		switch s.kind {
		case namesTree:
		case namesConfig: // from the folder of its name, and not of what a link of that name leads to
			if at, ok := c.path(s.value, file[:strings.LastIndexByte(file, '/')]); ok {
				err = c.keep(at)
				if err == nil {
					err = c.file(at, depth+1)
				}
			}
		case namesFolder:
			if at, ok := c.path(s.value, c.tree); ok {
				err = c.keep(at)
				if err == nil {
					err = c.lookInside(at, false)
				}
			}
		case namesFile:
			err = c.named(s.value)
		default:
			err = c.named(s.value)
			for _, w := range gitWords(s.value) {
				if err == nil {
					err = c.named(w)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	if c.left < 0 {
		return c.whole()
	}
	return nil
}

// settings are those of a file that name something. It is read once, however many work trees it is of.
func (c *gitConfig) settings(file string) ([]setting, error) {
	r, err := c.host.resolve(file)
	if err != nil || !r.entry.is(typeFile) {
		return nil, nil // missing, or held with the folder that cannot be looked into
	}
	if s, ok := c.configs[r.path]; ok {
		return s, nil
	}
	b, err := c.host.read(r.path, maxConfig)
	switch {
	case errors.Is(err, os.ErrPermission): // neither can its owner's git
		return nil, nil
	case err != nil:
		return nil, err
	case len(b) == maxConfig:
		return nil, errConfig
	}
	var found []setting
	gitSettings(string(b), func(section, name, value string) bool {
		if kind := gitNames(section, name, value); kind != namesNothing && value != "" && strings.IndexByte(value, 0) < 0 {
			found = append(found, setting{kind, value})
		}
		return len(found) <= maxNamed
	})
	if len(found) > maxNamed {
		return nil, errConfig
	}
	if c.configs == nil {
		c.configs = make(map[string][]setting)
	}
	c.configs[r.path] = found
	return found, nil
}

// path is where a value leads, from a folder on if it is relative.
func (c *gitConfig) path(value, from string) (string, bool) {
	c.left--
	switch {
	case c.left < 0:
		return "", false
	case value[0] == '/':
		return value, true
	case strings.HasPrefix(value, "~/"):
		homes := c.ownHomes()
		if len(homes) == 0 {
			return "", false
		}
		return join(homes[0], value[2:]), true
	}
	return from + "/" + value, from != ""
}

// named holds a file that there is. What is no file was no name of one.
func (c *gitConfig) named(value string) error {
	at, ok := c.path(value, c.tree)
	if !ok {
		return nil
	}
	if r, err := c.host.resolve(at); err != nil || !r.entry.is(typeFile) {
		return nil
	}
	return c.keep(at)
}

// whole holds all of a work tree: nobody knows what else its configuration names. That of the user, and of a repository that is
// not in the grant, may name anything.
func (c *gitConfig) whole() error {
	if c.tree == "" || !c.points.access(c.tree).write {
		return unsearchable(c.writes[0], errConfig)
	}
	e, err := c.host.lstat(c.tree)
	if err != nil {
		return unsearchable(c.tree, err)
	}
	c.hold(finding{path: c.tree, entry: e, whole: true, err: errConfig})
	return nil
}
