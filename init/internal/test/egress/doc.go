// Package egress tests whole launches whose policy names what the server may reach, and has tests only.
//
// The test binary runs itself again in network and mount namespaces of its own, which are the machine of every launch
// here: its name server, its hosts file and its resolv.conf are the tests', and so are all hosts that a name of theirs
// resolves to. Nothing leaves the machine, and an ordinary user can run everything.
//
// The test hosts have addresses of the ranges for documentation (RFC 5737, RFC 3849). They are local by a route alone
// and stand on no interface, for an address that getifaddrs(3) lists is the launcher's own machine, and is refused.
package egress
