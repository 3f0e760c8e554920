// Package streams says which descriptors a server may get as standard input, output and error: which of the launcher's
// open the host's tree or network and are refused, and in place of which the server gets a pipe.
package streams
