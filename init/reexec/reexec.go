// Package reexec is the seam between a host and the shim: the host's own binary, started again. On Linux a launch that
// needs no shim is supervised in the host's process.
//
//	func main() {
//		reexec.Init() // first of all: in a re-executed child it never returns
//		...
//	}
//
// A Go host that embeds the launcher calls [Init] at the very start of main. In the host Init only notes the call. In
// a child that the launcher started Init becomes the shim: it confines the server, supervises the server and exits.
//
// A shim refuses, with exit status 125, to run with rights that its caller does not have (a set-user-ID host would
// otherwise be a root exploit), with an order that is still writable, or with a socket that does not lead to its
// parent. Rights are checked before any argument. A host that was started with such rights continues, but launches
// nothing: see [Unprivileged].
package reexec

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
)

// Name is argument 0 of a re-executed child.
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

// ErrNotArmed is the error of a program that did not call [Init] first in main: started again it would not be a shim
// but the same program once more, and again, and again.
var ErrNotArmed = errors.New("main must call reexec.Init before anything else")

var armed bool

// deepen has the runtime make the stack 64 KiB while the stack is shallow: a launch would double it three times, each
// time with tens of frames to copy, in all 0.1 ms. Only the frame matters; n is 0, and nothing of it is written.
//
//go:noinline
func deepen(n int) byte {
	if n == 0 {
		return 0
	}
	var frame [48 << 10]byte
	frame[n] = 1
	return frame[n/2]
}

// Init turns this process into a shim if it was started as one, and then never returns.
func Init() {
	deepen(0)
	shim := len(os.Args) > 0 && os.Args[0] == Name
	if shim || isTrial(os.Args) {
		RefusePrivileged()
	}
	if shim {
		os.Exit(child(os.Args[1:]))
	}
	if isTrial(os.Args) {
		os.Exit(trialDaemon(os.Args[1]))
	}
	armed = true
}

// RefusePrivileged ends a process that has rights of its file's and not its caller's, with 125 and one line. A
// program that does nothing but launch calls it after [Init], before it looks at an argument, a file or a
// descriptor.
func RefusePrivileged() {
	if err := Unprivileged(); err != nil {
		Say("refused: " + err.Error())
		os.Exit(ending.ExitSandbox)
	}
}

// Unprivileged is an error if this process was started with more rights than its caller's: nothing is launched from it,
// because its caller chooses the program. On Windows no program has more rights than its caller gave it.
func Unprivileged() error { return unprivileged() }

// Armed reports whether [Init] was called in this process, without which nothing can be launched from it.
func Armed() bool { return armed }
