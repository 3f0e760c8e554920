package fsview

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// maxSocketPath is what fits into sun_path, with a NUL behind; unix(7).
const maxSocketPath = 107

// hostSockets are the sockets that the policy allows.
type hostSockets struct{ *grants }

// add adds the sockets that the policy allows. Each is mounted by itself, whatever is shown around it: a socket that
// takes its place later, in the folder that held it, is another file.
func (g hostSockets) add() {
	for _, given := range g.request.Policy.Network.AllowUnixSockets {
		path, optional := strings.CutPrefix(given, "-")
		if err := g.allow(path, optional); err != nil {
			if errors.Is(err, ErrLink) {
				err = offers{g.tree}.offered(err, path, false)
			}
			g.fail(&os.PathError{Op: "network.allowUnixSockets", Path: path, Err: err})
		}
	}
}

func (g hostSockets) allow(path string, optional bool) error {
	r, err := g.lookups.resolve(path)
	if err != nil {
		if optional && missing(err) {
			return nil
		}
		return noSuchSocket(err)
	}
	if err := g.mayAllow(path, &r); err != nil {
		return err
	}
	if g.request.Shared {
		if g.request.Policy.Level != policy.Privileged { // there all can be reached
			g.view.Unheld = append(g.view.Unheld, Unheld{Key: "network.allowUnixSockets", Path: path})
		}
		return nil
	}
	kind, err := tryConnect(r.path)
	switch {
	case err == unix.ECONNREFUSED && optional:
		return nil
	case err == unix.ECONNREFUSED:
		return ErrNobody
	case err != nil:
		return err
	}
	if program := cmp.Or(policy.DaemonOf(r.path), policy.DaemonOf(path)); program != "" {
		g.view.Daemons = append(g.view.Daemons, Daemon{path, program})
		g.warn("allowUnixSockets " + path + ": the server gets the rights of " + program + ", which are not confined")
	}
	if g.points.has(r.path, socket) {
		return nil // named twice
	}
	g.points.allow(r.path, r.entry, mayRead|socket)
	g.points.show(&r)
	g.view.Allowed = append(g.view.Allowed, AllowedSocket{Path: r.path, Type: kind})
	g.view.Given = append(g.view.Given, order.Seen{Path: r.path, Mode: order.Connects, Why: order.WhyGranted})
	return nil
}

// noSuchSocket adds the remedy to the error of a path where nothing is there.
func noSuchSocket(err error) error {
	if !missing(err) {
		return err
	}
	return &detail{ErrNobody, err.Error() + ": start the program that listens there first, or write -PATH", err}
}

// mayAllow returns the reason why the file that a path of the policy leads to is no socket that the server may have.
func (g hostSockets) mayAllow(path string, r *resolved) error {
	mounts, err := g.lookups.mountTable()
	if err != nil && len(g.writes) > 0 {
		return err // it may lie in a write grant by another name
	}
	switch {
	case !r.entry.is(typeSocket):
		return ErrNoSocket
	case g.inWriteGrant(path) || slices.ContainsFunc(append(elsewhere(mounts, r.path), r.path), g.inWriteGrant):
		return ErrReplaceable
	case g.points.has(r.path, noRead):
		return ErrSocketDenied
	case slices.ContainsFunc(append(elsewhere(mounts, r.path), path, r.path), ours(g.tree)):
		return ErrOurs
	case len(path) > maxSocketPath || len(r.path) > maxSocketPath:
		return ErrLongSocket
	case g.request.Root && !g.request.may(&r.entry, r.path, unix.W_OK):
		return g.request.denied()
	}
	return g.throughServerLink(r, ErrLink)
}

// tryConnect finds the type of a socket that a program listens on, by connects that the program does not notice: any
// process may connect a datagram socket to it, and one of another type that has a peer is refused when the kernel has
// walked the path, asked for the right to write, compared the types and seen that a program listens: EISCONN, or EAGAIN
// if others wait already; unix_stream_connect in net/unix/af_unix.c.
func tryConnect(path string) (kind int, err error) {
	for _, kind = range [...]int{unix.SOCK_DGRAM, unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
		switch err = connectAs(kind, path); {
		case err == nil, err == unix.EISCONN, err == unix.EAGAIN:
			return kind, nil
		case err != unix.EPROTOTYPE: // which is said of another type
			return 0, err
		}
	}
	return 0, err
}

func connectAs(kind int, path string) error {
	const flags = unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
	var fds [2]int
	var err error
	if fds, err = unix.Socketpair(unix.AF_UNIX, kind|flags, 0); err != nil {
		return os.NewSyscallError("socketpair", err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	return unix.Connect(fds[0], &unix.SockaddrUnix{Name: path})
}
