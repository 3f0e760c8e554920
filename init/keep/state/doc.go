// Package state keeps the homes that last: one folder for each name, which the launches of that name share.
//
//	f, err := state.Open("acme", state.Owner{UID: 1000, GID: 1000})
//	defer f.Close()
//	f.Path // "/home/ann/.local/state/mcp-sandbox/state/acme"
//
// A server may have left anything in its folder: links, odd modes, deep trees, sockets. So on Linux and macOS all
// is done through descriptors and without following a symbolic link. Beside the folder of a name lies the name's lock,
// a file that no server sees: each launch holds the lock shared, [Remove] takes it alone, its time is that of the
// last launch, and its text names whoever had the folder made. A folder is opened only where no other user, but root,
// can rename it or a folder above.
package state

import (
	"errors"
	"strconv"
	"time"
)

// An Owner is the user that the server will be.
type Owner struct {
	UID, GID int
	Chown    bool   // it is another user than this process: a folder that is made is given to it
	Maker    string // of the launch, see [Maker]
}

// mostMaker is how many bytes of a maker's name the lock keeps.
const mostMaker = 4096

// A Place is where something will be mounted in a state, or a link of the sandbox's.
type Place struct {
	Name   string // below the state's folder
	Folder bool
	Inner  bool   // a folder that is only on the way to other places, and need not be empty
	Target string // of a link; "": it is none
}

// An Info is one state, as `mcp-sandbox state list` tells it.
type Info struct {
	Name  string    `json:"name"`
	Path  string    `json:"path"`
	Bytes int64     `json:"bytes"` // on the disk; of more than a million names, or deeper than 200 folders, a part
	Used  time.Time `json:"used"`  // when the last launch began
}

var (
	// ErrInUse is the error of [Remove] while a launch of that name is under way.
	ErrInUse = errors.New("a server is using it: end that first")
	// ErrRemoving is the error of [Open] while [Remove] is at work.
	ErrRemoving = errors.New("`mcp-sandbox state rm` is removing it")
	// ErrNone is the error of [Remove] where there is no such state.
	ErrNone = errors.New("there is no state of that name")
)

// A Foreign is the error of a folder that belongs to another user than the server.
type Foreign struct{ Owner, Server int }

func (f *Foreign) Error() string {
	return "it belongs to user " + strconv.Itoa(f.Owner) + ", and the server is user " + strconv.Itoa(f.Server) +
		": take another name, or --user"
}

// A Left is the paths that [Remove] could not remove.
type Left struct {
	Paths []string // five at most
	Err   error    // why the first is left
}

func (l *Left) Error() string { return "not all of it could be removed: " + l.Err.Error() }

func (l *Left) Unwrap() error { return l.Err }

// The bounds of a count or a removal of one state.
const (
	mostNames = 1_000_000
	mostDepth = 200
	mostLeft  = 5
)
