// Package stdio is the server's standard input, output and error: the server's descriptors, the bytes carried
// between them and the launcher's own descriptors, and the terminal.
//
//	host, err := stdio.Check(false)           // what this process has as 0, 1 and 2
//	streams, err := stdio.Open(config, host)  // pipes and a pty where the host's own must not be handed over
//	server := streams.Server                  // the descriptors that become the server's 0, 1 and 2
//	streams.Register(&loop)                   // carry bytes while the server runs
//	streams.Drain()                           // and what is left, when everything of the sandbox has ended
package stdio
