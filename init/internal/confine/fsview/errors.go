package fsview

import (
	"os"
	"strconv"
)

// A Reason is why a path of the policy or the command cannot be used; compare with errors.Is.
type Reason string

func (r Reason) Error() string { return string(r) }

const (
	// ErrNotFound: there is no such command; exit status 127.
	ErrNotFound Reason = "command not found"
	// ErrNotExecutable: the command is there but cannot be executed; exit status 126.
	ErrNotExecutable Reason = "cannot be executed"
	// ErrSystem: a grant or a denial of a file system that is made fresh for the server.
	ErrSystem Reason = "/, /proc, /sys, /dev and what lies below them cannot be named here"
	// ErrSpecial: a grant of something that is neither folder nor file.
	ErrSpecial Reason = "is a device or a pipe, not a folder or a file"
	// ErrSocket: a grant of a socket.
	ErrSocket Reason = "is a socket, which no grant of files opens: name it in network.allowUnixSockets " +
		"(--allow-unix-socket)"
	// ErrNoSocket: an allowed socket that is something else.
	ErrNoSocket Reason = "is no socket: files and folders are granted by filesystem.allowRead (--allow-read)"
	// ErrNobody: an allowed socket that no program has open. bind(2) makes a new file each time, so none ever will.
	ErrNobody Reason = "is a socket that no program listens on: start the program first, or write -PATH"
	// ErrReplaceable: an allowed socket in a write grant, where an earlier server can have made it.
	ErrReplaceable Reason = "lies in a write grant, where a server could put another socket in its place: " +
		"have it made elsewhere"
	// ErrSocketDenied: an allowed socket that is denied.
	ErrSocketDenied Reason = "is denied by filesystem.denyRead too: leave out one of the two"
	// ErrOurs: an allowed socket among the launcher's own files.
	ErrOurs Reason = "lies among the files of mcp-sandbox itself, which no server sees"
	// ErrLongSocket: an allowed socket whose path does not fit into an address.
	ErrLongSocket Reason = "is longer than the 107 bytes of a socket's address (unix(7)): have it made elsewhere"
	// ErrProtected: a write grant of something that runs code on the host.
	ErrProtected Reason = "is protected: what is written there runs code outside of the sandbox"
	// ErrLink: a path of the policy or the command goes through a symbolic link, or a script's first line, that the
	// server could have written.
	ErrLink Reason = "leads from inside a write grant to what is not granted itself"
	// ErrExchanged: a path that a profile looked at leads elsewhere now.
	ErrExchanged Reason = "leads elsewhere than when the profile looked: a link or a folder there was exchanged: " +
		"start again"
	// ErrSettings: the target of a link that the server could have written.
	ErrSettings Reason = "settings or programs of yours lie there, and a server may have made that link: " +
		"name the folder itself, if the server is to have it"
	// ErrPattern: a path that no policy can name.
	ErrPattern Reason = "has a * in its name, which a policy takes for a pattern"
	// ErrFirstLine: a script of an installed package names an interpreter that the server would not see without.
	ErrFirstLine Reason = "the first line of a package's script names what is not granted"
	// ErrDenyLink: a denied path goes through a symbolic link that the server could have written: after a change of the
	// link the next launch denies another file.
	ErrDenyLink Reason = "goes through a symbolic link inside a write grant, which the server can replace: " +
		"deny what it leads to"
	// ErrLinked: a denied or protected file in a write grant has another name, which the server could have made in
	// an earlier launch without the denial.
	ErrLinked Reason = "has another name (a hard link), which a server may have made in an earlier launch"
	// ErrShown: a home that lasts, where a grant shows the host's home.
	ErrShown Reason = "is granted, which shows the host's home, so there is no other that could last: grant less, " +
		"or leave out the state"
	// ErrWritten: the package of the launch, where no mount can hold a write grant back.
	ErrWritten Reason = "lies in a write grant, from which this confinement takes nothing out: grant less for writing"
	// ErrStrictStage: a folder to install in, for a server that writes nothing.
	ErrStrictStage Reason = "cannot be written in level strict"
	// ErrNotVisible: a working folder or a command that the server would not see.
	ErrNotVisible Reason = "is not visible inside"
	// ErrSearch: a folder of a write grant that cannot be looked into. Files there may run code outside of the
	// sandbox, and a server that removes the launcher's right to look must not gain by that.
	ErrSearch Reason = "cannot be searched for what runs code outside of the sandbox, so it is not granted for writing"
	// ErrStarts: a command that does its work by starting others, where subprocess.allow is false.
	ErrStarts Reason = "starts other programs, which this policy forbids"
	// ErrReturn: a script whose first line is no line of this system.
	ErrReturn Reason = "its first line ends in CR LF, as on Windows, " +
		"so the kernel looks for an interpreter of another name: convert it, with dos2unix"
	// ErrDenied: the ids that the server will have may not do it.
	ErrDenied Reason = "permission denied"
)

// A CommandError is a command that cannot be started. Kind is ErrNotFound or ErrNotExecutable.
type CommandError struct {
	Path string
	Kind Reason
	Err  error // more of it, or nil
}

func (e *CommandError) Error() string {
	s := "exec " + e.Path + ": " + string(e.Kind)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives both the kind and the cause.
func (e *CommandError) Unwrap() []error { return (&detail{reason: e.Kind, err: e.Err}).Unwrap() }

// A detail is a Reason with a finding on this machine.
type detail struct {
	reason Reason
	text   string
	err    error // the cause, or nil
}

func (e *detail) Error() string { return e.text }

// Unwrap gives both the reason and the cause.
func (e *detail) Unwrap() []error {
	if e.err == nil {
		return []error{e.reason}
	}
	return []error{e.reason, e.err}
}

// linkError is an ErrLink, an ErrFirstLine or an ErrDenyLink: a link or a script, and its target, "" for nowhere.
func linkError(kind Reason, link, target string) error {
	leads := " leads nowhere"
	if target != "" {
		leads = " leads to " + target
	}
	return &detail{kind, string(kind) + ": " + link + leads, nil}
}

// denied is an ErrDenied with the ids that were looked at.
func (i *Identity) denied() error {
	return &detail{ErrDenied, string(ErrDenied) + " for " + strconv.Itoa(i.UID) + ":" + strconv.Itoa(i.GID) +
		", the ids of the server", nil}
}

// unsearchable is an ErrSearch of a write grant.
func unsearchable(path string, err error) error {
	text := string(ErrSearch) + ": " + err.Error() + ": let the launcher's user list and enter it (chmod u+rx), " +
		"or unmount it if it is a file system that does not answer"
	return &os.PathError{Op: "allowWrite", Path: path, Err: &detail{ErrSearch, text, err}}
}
