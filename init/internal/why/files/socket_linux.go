package files

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// judgeSocket answers whether the server may connect to the socket at a path.
func (l *Launch) judgeSocket(path string) verdict {
	spot := l.Plan.Find(path)
	real, is, err := l.Plan.OnHost(path)
	v := verdict{Answer: order.Answer{Seen: spot.Sight, OnHost: is}, real: real, path: path}
	switch {
	case err == unix.ENAMETOOLONG:
		return v.tooLong()
	case err != nil:
		v.other(order.ByPermissions, path+" cannot be looked at: "+err.Error())
		return v
	case !is:
		v.other(order.ByMissing, path+" does not exist on the host either: start the program that listens there first")
		return v
	case l.Plan.Look(real) != fsview.KindSocket:
		v.other(order.ByMissing, path+" is no socket")
		return v
	}
	if err = passes(l.Plan, &spot); err == nil {
		err = l.Plan.Permits(real, unix.W_OK)
	}
	if err != nil {
		v.other(order.ByPermissions, path+" cannot be connected to by the server's user, whatever the policy says: "+
			err.Error())
		return v
	}
	allowed := func(s fsview.AllowedSocket) bool { return s.Path == spot.Path }
	switch {
	case l.Open && l.NoUnix:
		v.other(order.ByPermissions, path+" cannot be connected to: this kernel's Landlock holds no sockets, so the "+
			"filter refuses all of AF_UNIX")
	case l.Open:
		v.allow(l.openBy(), path+" is held back by nothing: the server can do whatever its user can")
	case slices.ContainsFunc(l.Plan.View.Allowed, allowed):
		v.allow(spot.Reading, path+" can be connected to: allowed at "+by(spot.Reading))
	default:
		v.deny(fsview.Cause{}, path+" is not allowed: a socket is not granted with the folder that it lies in")
	}
	return v
}
