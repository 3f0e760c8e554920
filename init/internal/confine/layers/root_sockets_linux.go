package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
)

// RestrictsSockets reports whether Landlock keeps a server from sockets at paths that are not granted as
// sockets.
func RestrictsSockets(abi int) bool { return abi >= pathnameABI }

// RefusesUnix reports whether the filter has to refuse AF_UNIX because Landlock cannot tell the host's
// sockets apart: the root shows the whole host, or a granted folder has sockets that cannot be covered one by
// one, or the server is in the host's network namespace with its abstract sockets.
func RefusesUnix(v *fsview.View, abi int, hostNet bool) bool {
	if hostNet && abi < scopesABI {
		return true
	}
	return abi < pathnameABI && (v.HostRoot || v.Sockets.Grant != "")
}

// WhyNoUnix returns the reason for [RefusesUnix], and the remedy; "" if it does not.
func WhyNoUnix(v *fsview.View, abi int, hostNet bool) string {
	const none = "cannot be opened alone: the server would reach "
	landlock := ", which Landlock restricts from ABI " + strconv.Itoa(pathnameABI) + ", and this kernel has ABI " +
		strconv.Itoa(abi)
	switch {
	case !RefusesUnix(v, abi, hostNet):
		return ""
	case hostNet && abi < scopesABI:
		return none + "the abstract sockets of the host, which Landlock restricts from ABI " +
			strconv.Itoa(scopesABI) + ", and this kernel has ABI " + strconv.Itoa(abi) +
			": take another level than network, with network.allowedDomains"
	case v.HostRoot:
		return none + "those of the whole host, which filesystem.default read shows" + landlock +
			": take filesystem.default deny and grant folders"
	}
	return none + "others in the grant " + v.Sockets.Grant + ", for " + v.Sockets.Why + landlock +
		": leave that grant out, or grant less"
}

// socketsEffect says which of the host's sockets the mounts leave open, and how Landlock or the filter bounds that.
func socketsEffect(r *Request) string {
	abi, s := r.Machine.LandlockABI, &r.View.Sockets
	if abi >= pathnameABI {
		return ""
	}
	const none = "the server can make no socket of AF_UNIX: it would reach "
	const connects = "sockets inside granted folders can be connected to"
	has := " and this kernel has ABI " + strconv.Itoa(abi)
	until := ": Landlock restricts that from ABI " + strconv.Itoa(pathnameABI) + "," + has
	switch {
	case r.hostNet() && abi < scopesABI:
		return none + "the abstract sockets of the host, which Landlock restricts from ABI " +
			strconv.Itoa(scopesABI) + has
	case r.View.HostRoot:
		return none + "those of the host, which is shown as a whole" + until
	case s.Grant != "":
		return none + "those of the host in " + s.Grant + ", for " + s.Why + until
	case s.Unlisted != nil:
		return connects + ", and which there are could not be found out (" + s.Unlisted.Error() + ")" + until
	}
	return connects + " if they belong to another network namespace or are bound later; " +
		"those bound at the start are covered" + until
}
