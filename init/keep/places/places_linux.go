package places

import (
	"path"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

const (
	separator = "/"
	noHome    = "no home: passwd has none for this user, and HOME is no folder of this user's that nobody else can " +
		"write"
)

// The bases of the XDG Base Directory Specification.
var (
	data   = base{"XDG_DATA_HOME", ".local/share"}
	state  = base{"XDG_STATE_HOME", ".local/state"}
	config = base{"XDG_CONFIG_HOME", ".config"}
)

// A base is a folder for something of all programs.
type base struct{ variable, below string }

// Of are the places of an environment.
func Of(getenv func(string) string) (Places, error) {
	home := platform.UserHome(getenv("HOME"))
	p, missing := Places{}, false
	for _, at := range []struct {
		place *string
		base
	}{{&p.Data, data}, {&p.State, state}, {&p.Config, config}} {
		folder, users := at.named(getenv)
		if folder == "" || !users {
			missing = missing || home == "" || home[0] != '/'
			folder = path.Clean(home) + "/" + at.below
		}
		*at.place = folder + "/" + Name
	}
	if missing {
		return Places{}, ErrNoHome
	}
	return p, nil
}

// named is the folder that the variable names, "" for none that can be this user's, and whether the user named it.
func (b base) named(getenv func(string) string) (folder string, users bool) {
	value := getenv(b.variable)
	if value == "" || value[0] != '/' || !ownFolder(value) {
		return "", false
	}
	return path.Clean(value), platform.IsUsers(b.variable, value)
}

// Instead is the folder that this product uses in place of a variable's, where the variable names another one and does
// not count, because it is not the user's word; else "".
func Instead(variable string, getenv func(string) string) string {
	home := platform.UserHome(getenv("HOME"))
	for _, b := range [...]base{data, state, config} {
		if b.variable != variable || home == "" {
			continue
		}
		if folder, users := b.named(getenv); folder != "" && !users && folder != path.Clean(home)+"/"+b.below {
			return path.Clean(home) + "/" + b.below
		}
	}
	return ""
}

// ownFolder reports whether a folder is this user's, or not there yet.
func ownFolder(base string) bool {
	var st unix.Stat_t
	err := unix.Stat(base, &st)
	return err == nil && int(st.Uid) == unix.Geteuid() || err == unix.ENOENT
}
