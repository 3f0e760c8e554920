// Package transport holds the tests of what lies between a server and its host: pipes, sockets, files, terminals and
// the guard of standard output. The server is this test binary; each act of a server is tried without a sandbox as
// well.
package transport
