package order

import (
	"slices"
	"strings"
)

// A Plan is the view and the environment that a launch would give its server, as far as known without a process.
type Plan struct {
	Command string // the file that is executed, as seen inside
	Home    string // HOME as the server will see it
	Cwd     string // the server's working folder
	User    string // "uid:gid"; "" on Windows

	Sees      []Seen
	TmpSize   int64    // bytes that the private folders share; 0: as many as there are
	Variables []string // names in the server's environment, sorted
	Warnings  []string
}

// A Seen is one path of a server's file system.
type Seen struct {
	Path string `json:"path"`
	Mode Mode   `json:"mode"`
	Why  Why    `json:"why"`
}

// Mode is the access of a server to a path.
type Mode string

const (
	CanRead   Mode = "read"
	CanWrite  Mode = "write"     // and read
	Hidden    Mode = "hidden"    // an empty folder, or a file that cannot be read, lies over the host's
	Connects  Mode = "connect"   // a socket
	Private   Mode = "private"   // an empty folder of the server's own, writable, thrown away at the end
	Generated Mode = "generated" // a file or folder that is made for the server, in place of the host's
)

// Why is the reason of a path's mode.
type Why string

const (
	WhyGranted   Why = "granted"   // by the policy
	WhyDenied    Why = "denied"    // by the policy
	WhyImplied   Why = "implied"   // by the command
	WhyProtected Why = "protected" // others of the user's programs execute or trust the file
	WhySocket    Why = "socket"    // a socket or named pipe, through which read-only is no barrier
	WhyState     Why = "state"     // the server's home, kept for its next launch
	WhyPackage   Why = "package"   // the package of this launch
	WhyStage     Why = "stage"     // the folder in which this launch installs a package
	WhyAlways    Why = "always"    // every server sees this

	WhyCertificates Why = "certificates" // a variable names them; nothing else of the file or folder is shown
)

// Names are the names in a list of NAME=VALUE, sorted, each once.
func Names(env []string) []string {
	names := make([]string, 0, len(env))
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
