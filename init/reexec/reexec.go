// Package reexec is the seam between a host and the shim: the host's own binary, started again.
//
//	func main() {
//		reexec.Init() // first of all: in a re-executed child it never returns
//		...
//	}
//
// A Go host that embeds the launcher calls [Init] at the very start of main. In the host it only notes that it was
// called. In a child that the launcher started it becomes the shim: it confines the server, supervises it and exits.
// It refuses to be started by anybody but the launcher, with exit status 125: with rights that the caller does not have
// (a set-user-ID host would otherwise be a root exploit), with an order that somebody could still change, or with a
// socket whose other end is not its parent.
package reexec

import (
	"errors"
	"os"
)

// Name is the word that a re-executed child finds as its argument 0.
const Name = "mcp-sandbox-shim"

// ByHost is the first argument of a shim that a Go host started by exec.Cmd.
const ByHost = "host"

// Descriptors of a shim that a host started: exec.Cmd's first two ExtraFiles, where the system hands those over.
const (
	orderFD = 3
	hostFD  = 4
)

// maxOrder is more than any order has.
const maxOrder = 8 << 20

var errArguments = errors.New("arguments: this name is the shim's")

// ErrNotArmed is the error of a program whose main did not call [Init] first: started again it would not be a shim but the
// same program once more, and again, and again.
var ErrNotArmed = errors.New("main must call reexec.Init before anything else")

var armed bool

// Init turns this process into a shim if it was started as one, and then never returns.
func Init() {
	if len(os.Args) > 0 && os.Args[0] == Name {
		os.Exit(child(os.Args[1:]))
	}
	trialDaemon(os.Args)
	armed = true
}

// Armed reports whether [Init] was called in this process, without which nothing can be launched from it.
func Armed() bool { return armed }
