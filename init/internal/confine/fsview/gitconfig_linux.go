package fsview

import (
	"errors"
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/gitconfig"
)

// How much of git's configuration is read. Beyond it the work tree is protected as a whole.
const (
	maxConfig   = 1 << 20
	maxIncluded = 10  // how deep files that are included may include others; git has the same bound
	maxNamed    = 256 // settings of one file, and paths of one work tree: a setting counts for two and more
)

var errConfig = errors.New("git's configuration for it is longer, or names more, than is looked at")

// A gitSetting is a variable that names something.
type gitSetting struct {
	kind  gitconfig.Kind
	value string
}

// gitConfigs protect the files that git's configuration names.
type gitConfigs struct {
	insides
	read map[string][]gitSetting // by file: each is read once, however many work trees it is of
}

// A gitConfig is the work on the configuration of one work tree, or of none.
type gitConfig struct {
	*gitConfigs
	tree string // "" for none
	left int    // names that may still be protected
}

// protectConfigured protects the files in write grants that a work tree's configuration names: the repository's own
// configuration ("": none) and the user's.
func (g *gitConfigs) protectConfigured(tree string, files ...string) {
	if g.request.Shared || g.strict || len(g.writes) == 0 {
		return
	}
	c := gitConfig{g, tree, maxNamed}
	for _, home := range g.ownHomes() {
		files = append(files, join(home, ".gitconfig"), join(home, ".config/git/config"))
	}
	for _, file := range files {
		c.file(file, 0)
	}
}

func (c *gitConfig) file(file string, depth int) {
	settings, err := c.settings(file)
	if err != nil || depth > maxIncluded {
		c.whole()
		return
	}
	folder := file[:strings.LastIndexByte(file, '/')] // of its name, and not of the target of a link of that name
	for _, s := range settings {
		at, ok := c.path(s.value, folder) // counts each setting, here and where it is protected
		if !ok || s.kind != gitconfig.Tree {
			continue
		}
		if r, err := c.lookups.resolve(at); err == nil {
			c.tree = r.path
		}
	}
	for _, s := range settings {
		c.protectSetting(s, folder, depth)
	}
	if c.left < 0 {
		c.whole()
	}
}

// protectSetting protects the file that a variable of a file in folder names.
func (c *gitConfig) protectSetting(s gitSetting, folder string, depth int) {
	switch s.kind {
	case gitconfig.Tree:
	case gitconfig.Config:
		if at, ok := c.path(s.value, folder); ok {
			c.protectPath(at)
			c.file(at, depth+1)
		}
	case gitconfig.Hooks:
		if at, ok := c.path(s.value, c.tree); ok {
			c.protectDeep(at)
		}
	}
}

// settings are those of a file that name something.
func (c *gitConfig) settings(file string) ([]gitSetting, error) {
	r, err := c.lookups.resolve(file)
	if err != nil || !r.entry.is(typeFile) {
		return nil, nil // missing, or protected with the folder that cannot be looked into
	}
	if s, ok := c.read[r.path]; ok {
		return s, nil
	}
	b, err := c.lookups.read(r.path, maxConfig)
	switch {
	case errors.Is(err, os.ErrPermission): // neither can its owner's git
		return nil, nil
	case err != nil:
		return nil, err
	case len(b) == maxConfig:
		return nil, errConfig
	}
	var found []gitSetting
	gitconfig.Parse(string(b), func(section, name, value string) bool {
		kind := gitconfig.Names(section, name)
		if kind != gitconfig.Nothing && value != "" && strings.IndexByte(value, 0) < 0 {
			found = append(found, gitSetting{kind, value})
		}
		return len(found) <= maxNamed
	})
	if len(found) > maxNamed {
		return nil, errConfig
	}
	c.read[r.path] = found
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

// whole protects all of a work tree: its configuration may name further files. The user's configuration, and
// that of a repository outside of the grant, may name any file.
func (c *gitConfig) whole() {
	if c.tree == "" || !c.points.access(c.tree).write {
		c.fail(unsearchable(c.writes[0], errConfig))
		return
	}
	c.protectWhole(c.tree, errConfig)
}
