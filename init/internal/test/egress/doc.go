// Package egress tests whole launches whose policy names what the server may reach, and has tests only.
//
// The test binary runs itself again in the world of scripts/testbed/world, which is the machine of every launch here:
// its name server, its hosts file and its resolv.conf are the tests', and so are all hosts that a name of theirs
// resolves to.
package egress
