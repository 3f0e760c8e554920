package fsview

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// An Offer is the grant by which a server comes to a path of the host. The plan of the launch was asked about the
// grant: a launch with that one more is not refused for it, and the server comes to the path then.
type Offer struct {
	Flag string // of mcp-sandbox run
	Path string // the path itself, or where its links lead
}

// The flags of offers.
const (
	OfferRead   = "--allow-read"
	OfferWrite  = "--allow-write"
	OfferSocket = "--allow-unix-socket"
)

// An Offered is a refusal with the grant that would help; without a Flag there is none, and No says why.
type Offered struct {
	error
	Offer Offer
	No    error
}

// Unwrap gives the refusal.
func (o *Offered) Unwrap() error { return o.error }

// OfferOf finds the grant that lets the server of a plan read, or write, an absolute path. An error says why none does.
func OfferOf(e *Explained, at string, write bool) (Offer, error) {
	return offers{e.tree}.offer(at, write)
}

// offers asks a plan about one more grant.
type offers struct{ *tree }

func (t offers) offer(at string, write bool) (o Offer, err error) {
	r, err := t.lookups.resolve(at)
	if err != nil {
		return o, err
	}
	o = Offer{OfferRead, at}
	if write {
		o.Flag = OfferWrite
	}
	sockets := hostSockets{&grants{tree: t.tree}}
	socket := r.entry.is(typeSocket)
	if socket {
		o.Flag = OfferSocket
		err = sockets.mayAllow(at, &r)
	} else {
		err = t.allowLink(&r, write)
	}
	if errors.Is(err, ErrLink) { // an earlier server may have made that link: its target is granted by its own name
		if t.holdsSettings(r.path) || write && protected.InRepository(r.path) {
			return o, ErrSettings
		}
		holds := func(home string) bool { return policy.Within(home, r.path) }
		if t.guarded(r.path) || slices.ContainsFunc(t.ownHomes(), holds) {
			return o, err
		}
		o.Path = r.path
		r.links = nil
		if err = nil; socket {
			err = sockets.mayAllow(r.path, &r)
		}
	}
	if err == nil {
		err = t.mayOffer(o, &r)
	}
	return o, err
}

// holdsSettings reports whether settings of the user's other programs lie in a folder, or programs that a shell finds:
// a server that made a link there is not to get that folder from a user who types the grant that a line proposes.
func (t offers) holdsSettings(folder string) bool {
	return slices.ContainsFunc(t.ownHomes(), func(home string) bool {
		if !policy.Within(folder, home) {
			return false
		}
		for name := range protected.AtHome() {
			if policy.Within(join(home, name), folder) {
				return true
			}
		}
		return strings.Contains(folder[len(home):]+"/", "/bin/")
	})
}

// mayOffer is the error of a launch with the grant, or why the grant is of no use.
func (t offers) mayOffer(o Offer, r *resolved) error {
	write := o.Flag == OfferWrite
	switch {
	case o.Flag == OfferSocket && t.request.Shared:
		return ErrNotVisible
	case o.Flag == OfferSocket:
		_, err := tryConnect(r.path)
		return err
	case r.path == "/":
		return ErrSystem
	case strings.Contains(o.Path, "*"):
		return ErrPattern
	case !r.entry.is(typeFolder) && !r.entry.is(typeFile):
		return ErrSpecial
	case t.heldBack(r.path, write):
		return ErrDenied
	case write && (t.guarded(o.Path) || t.guarded(r.path)):
		return ErrProtected
	case write && t.strict:
		return ErrStrictStage
	case write && isGitFile(r):
		if _, why := t.gitFile(r.path); why != "" {
			return Reason(why)
		}
	case t.request.State != "" && len(t.homes) > 0 && policy.Within(t.homes[len(t.homes)-1], r.path):
		return ErrShown
	}
	need := needed(&r.entry, write)
	if t.request.Root && !t.request.may(&r.entry, r.path, need) {
		return t.request.denied()
	}
	if err := unix.Faccessat(unix.AT_FDCWD, r.path, need, unix.AT_EACCESS); err != nil {
		return &os.PathError{Op: "access", Path: r.path, Err: err}
	}
	return nil
}

// heldBack reports whether the policy denies the path itself: of a grant and a denial of one path the denial wins.
func (t offers) heldBack(path string, write bool) bool {
	return t.points.has(path, noRead) || write && t.points.has(path, noWrite)
}

// offered is a refusal with the grant that would help.
func (t offers) offered(refusal error, at string, write bool) error {
	o, err := t.offer(at, write)
	if err != nil {
		o = Offer{}
	}
	return &Offered{refusal, o, err}
}
