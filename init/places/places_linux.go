package places

import (
	"path"

	"golang.org/x/sys/unix"
)

const separator, homeVariable = "/", "HOME"

// Of are the places of an environment.
func Of(getenv func(string) string) (Places, error) {
	home, missing := getenv("HOME"), false
	in := func(variable, below string) string {
		if base := getenv(variable); base != "" && base[0] == '/' && ownFolder(base) {
			return path.Clean(base) + "/" + Name
		}
		missing = missing || home == "" || home[0] != '/'
		return path.Clean(home) + "/" + below + "/" + Name
	}
	p := Places{Data: in("XDG_DATA_HOME", ".local/share"), State: in("XDG_STATE_HOME", ".local/state"),
		Config: in("XDG_CONFIG_HOME", ".config")}
	if missing {
		return Places{}, ErrNoHome
	}
	return p, nil
}

// ownFolder is false for what exists and is another user's.
func ownFolder(base string) bool {
	var st unix.Stat_t
	err := unix.Stat(base, &st)
	return err == nil && int(st.Uid) == unix.Geteuid() || err == unix.ENOENT
}
