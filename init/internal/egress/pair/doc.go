// Package pair makes the sockets of a server that has the host's network namespace, and no right to it: each socket of
// TCP that the server asks for is one end of an AF_UNIX pair, whose other end leads where the policy lets it.
//
//	s := pair.New(network, set, loop, seccomp.Name)
//	listener.ServeBy(s)
//
// The filter (seccomp.Options.Egress) makes no socket of the Internet, whatever its answer: a listener that is gone, or
// that is told lies, opens nothing. An end of a connected pair can be led to no other socket by any call (unix(7)), so
// of all notified calls socket(2) is the only one that is never left to the kernel. The address of a connect(2) is read
// once, and is a request to the [Network] alone: the server's own call is not made.
//
// A socket is known by the inode number of its end, so copies of the descriptor (dup(2), fork(2), SCM_RIGHTS) need no
// table of their own. The thread of a notification stands still until the answer; seccomp_unotify(2) says how its id
// and memory are to be trusted: [platform.StillWaits] after each read, and before each write.
package pair
