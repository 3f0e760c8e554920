// Package fsview plans a server's view of the file system. Package layers mounts the planned view.
//
//	e, err := fsview.Explain(fsview.Request{Policy: p, Command: argv, Env: env, Dir: dir, Identity: ids})
//	v := e.View
//
// [Explain] takes the effective policy and looks at the machine once: it resolves every path, follows the command to
// its interpreter, finds the protected paths inside a write grant, and returns a View: plain data that the rows of the
// root lay out as system calls; and beside it the reasons. Explain keeps nothing open and changes nothing. A path that
// is swapped later is noticed: every Bind carries the device and inode.
//
// Lookups resolve paths and look at each once. Points are the statements about paths: of the base system, the grants
// and denials, the home, the protected paths, the needs of a command. A tree holds both for one request; the types that
// add points embed it. The emitter turns points into the nodes and covers of the View. The knowledge about names and
// texts alone lies in the packages below: protected, toolchain, gitconfig and certpem.
package fsview

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// Kind says how a [Node] comes to be in the sandbox's root.
type Kind uint8

const (
	Dir  Kind = iota // an empty folder of the root's own tmpfs
	File             // a small generated file with Content
	Link             // a symbolic link to Content
	Bind             // Source of the host, mounted at Path
)

// A Node is one entry of the sandbox's root. Path is absolute and clean, seen from inside.
type Node struct {
	Path    string
	Kind    Kind
	Mode    uint32 // permission bits of a Dir or a File
	Content string // File: its bytes. Link: its target

	Source string // Bind: the host's path, absolute, without any symbolic link in it
	Folder bool   // Bind: Source is a folder
	Device bool   // Bind: a device node of /dev
	Socket bool   // Bind: a socket that the policy allows
	Write  bool   // Bind: may be written

	platform.FileID // Bind: of Source when it was looked at
}

// A Cover hides the file or folder at Path inside a grant, or freezes it.
type Cover struct {
	Path   string
	Kind   CoverKind
	Folder bool
	Source string // the host's path behind Path
	Closed bool   // a root launcher's server may not enter a folder above Path
	Mount  bool   // a mount of the host's begins at Path, which comes along with the grant

	platform.FileID // of the covered file when Explain looked
}

// CoverKind is the effect of a [Cover].
type CoverKind uint8

const (
	Pin      CoverKind = iota // bound onto itself, unchanged, against a rename
	ReadOnly                  // bound onto itself, read-only with all below it; a mount is made so itself
	Deny                      // covered by an empty folder, or by an empty file without any right
)

// An Unheld is a denial inside a readable or writable tree, which rules alone cannot enforce, or an allowed socket,
// which takes a root of the server's own.
type Unheld struct {
	Key  string // of the policy
	Path string
}

// An AllowedSocket is a socket of the policy.
type AllowedSocket struct {
	Path string // without any symbolic link in it
	Type int    // as socket(2) has it: SOCK_STREAM, SOCK_SEQPACKET or SOCK_DGRAM
}

// A View is everything the root shows, in the order in which it has to be built.
type View struct {
	// HostRoot is true for filesystem.default "read": the host's root, read-only, is the base, and Nodes lie on top.
	HostRoot bool
	// Nodes have their parents before them. A Bind below another Bind lies over it; its mount point exists in the bound
	// tree, or in the private tmpfs.
	Nodes []Node
	// Covers come after all Nodes, outermost first.
	Covers []Cover

	// Private are the folders that live on the private tmpfs, with their modes: /tmp, /dev/shm, the home. The
	// folders share TmpSize bytes and TmpInodes inodes, 0 for no limit. Nodes may lie below a private folder, so a
	// denied folder with a grant inside is private too (mode 0555), and with HostRoot /dev and /proc. The order is
	// that in which the Nodes need the folders; a folder inside a Bind finds its mount point there. A home that lasts
	// is a Bind of a state's folder.
	Private []Node
	Capacity

	Process

	// Outside is a path that exists on the host and must not exist inside; "" if none was found.
	Outside string

	Sockets Sockets // of the host
	Allowed []AllowedSocket

	// Unheld are the denials and sockets of the policy that do not hold for a server without a root of its own.
	Unheld []Unheld

	Notes

	watched appearance
}

// FirstFresh is the first of the private folders that is on the private tmpfs, and no folder of a state; -1 for none.
func (v *View) FirstFresh() int {
	return slices.IndexFunc(v.Private, func(n Node) bool { return n.Kind != Bind })
}

// A Capacity is the size of the private tmpfs, and its number of inodes.
type Capacity struct{ TmpSize, TmpInodes int64 }

// A Place has to exist in a state's folder before the folder is mounted.
type Place struct {
	Name   string // below the folder
	Folder bool
	Inner  bool   // a folder that is only on the way to other places, and need not be empty
	Target string // of a link; "": it is none
}

// A Process is how the server starts.
type Process struct {
	Command string   // execve's argument: the path as seen inside
	Argv    []string // the server's argument vector
	Home    string   // HOME as the server will see it
	Cwd     string   // working folder of the server

	State  string  // the folder of the host that is the home; "" if the home does not last
	Places []Place // in State, those above before those below

	// Copies are files of certificates for a server without a root of its own, which the launcher makes in the private
	// folder: see [PrivateCertificates]. Env are the variables, NAME=VALUE, that lead there.
	Copies [][]Node
	Env    []string
}

// Notes are a view's lists in the report, each sorted, and the remarks of plan about the policy's paths.
type Notes struct {
	Given       []order.Seen
	Implied     []string // grants that are not in the policy
	Certified   []string // files and folders of which the server sees the certificates alone
	Protected   []string // paths that are read-only inside a write grant
	Unprotected []string // paths that would be protected if they existed
	Warnings    []string
	Uncertified []string // those of the warnings that are about a variable of certificates, which they begin with
	Held        []Held
	Daemons     []Daemon
}

// A Held is a folder that is read-only as a whole because of the files that may lie in it, and the write grant that it
// is, or lies in. A grant of the folder itself would open it where Granted is true.
type Held struct {
	Path, Grant, Why string
	Granted          bool
}

// A Daemon is a socket as the policy names it, and the program behind it, which has all of the user's rights.
type Daemon struct{ Path, Program string }

// An appearance is the input of [View.Appeared].
type appearance struct {
	searched []string // write grants
	awaited  []string // paths that did not exist
	known    map[string]bool
	passed   map[string]bool // folders of the grants that were no part of the search
	folders  int             // how many of a grant are searched
}

// Sockets are the host's UNIX domain sockets that a root shows. A read-only mount does not prevent connect(2): where
// Landlock does not either, bound sockets are covered, or the server may have no socket of the family.
type Sockets struct {
	Grant    string // a folder because of which the server may have none; "" if there is none
	Why      string // the error of that folder
	Unlisted error  // why it is unknown which sockets are bound: none is covered then
}
