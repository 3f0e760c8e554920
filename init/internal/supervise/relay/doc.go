// Package relay is the server's standard input, output and error while the server runs: the server's descriptors, the
// bytes carried between them and the launcher's own descriptors, and the terminal.
//
//	host, err := streams.Check(fds, false)   // what this process has as 0, 1 and 2
//	s, err := relay.Open(config, host)       // pipes and a pty where the host's own must not be handed over
//	server := s.Server                       // the descriptors that become the server's 0, 1 and 2
//	s.Register(&loop)                        // carry bytes while the server runs
//	s.Drain()                                // and what is left, when everything of the sandbox has ended
package relay
