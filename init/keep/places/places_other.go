//go:build !linux

package places

import (
	"os"
	"path/filepath"
)

const (
	separator = string(os.PathSeparator)
	noHome    = "no " + homeVariable + ", or one that is not absolute"
)

// Of are the places of an environment: all of them are one folder.
func Of(getenv func(string) string) (Places, error) {
	home := getenv(homeVariable)
	if !filepath.IsAbs(home) {
		return Places{}, ErrNoHome
	}
	all := filepath.Join(below(home), Name)
	return Places{Data: all, State: all, Config: all}, nil
}

// Instead is "": every variable counts.
func Instead(string, func(string) string) string { return "" }
