// Package places names the folders in which this product keeps data for longer than a launch.
//
//	p, err := places.Of(os.Getenv)
//	p.State // "/home/ann/.local/state/mcp-sandbox"
//
// On Linux the folders are those of the XDG Base Directory Specification, below the home that passwd(5) names. A
// variable counts as not set if its value is not absolute, leads to a folder of another user, or is not the user's word
// ([platform.IsUsers]). Nothing is made here.
package places

import "errors"

// Name is the last part of each of the folders.
const Name = "mcp-sandbox"

// Places are absolute paths, which may lead through symbolic links to nothing. Two of them can be the same.
type Places struct {
	Data   string // packages: store
	State  string // state, reports, backups
	Config string // policies
}

// States is the folder that holds a folder for each state.
func (p *Places) States() string { return p.State + separator + "state" }

// Store is the folder that holds the installed packages.
func (p *Places) Store() string { return p.Data + separator + "store" }

// Reports is the folder that holds the reports of the last launches.
func (p *Places) Reports() string { return p.State + separator + "reports" }

// Folders are the different ones.
func (p *Places) Folders() []string {
	all := []string{p.Data}
	for _, folder := range []string{p.State, p.Config} {
		if folder != all[len(all)-1] {
			all = append(all, folder)
		}
	}
	return all
}

// ErrNoHome is the error of a user without a home.
var ErrNoHome = errors.New(noHome + ": what lasts lies below it, so set HOME to such a folder")
