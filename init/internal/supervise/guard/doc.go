// Package guard keeps standard output for JSON-RPC: it divides a server's output into lines that are messages
// and lines that are not, such as a library's prints.
//
//	var g guard.Guard
//	g.Take(chunk)                              // output of the server
//	write(1, g.Messages()); write(2, g.Rest()) // the judged lines
//
// A message is a line that MCP's stdio transport allows: a JSON object with "jsonrpc":"2.0", or an array of
// such objects. Messages pass byte for byte; every other line goes to the rest with [Tag] in front. A line is
// held back only until the guard knows, which for one that cannot be JSON is at its first wrong byte. A line
// that is longer than [Most] and JSON so far passes unjudged: dropping a message would break the session. The
// guard helps against accidents and is no barrier: a server may send any message.
//
// The guard has a scanner of its own. Package strictjson parses a whole document into a tree and names the
// place of each error; the guard reads a stream, any piece of a token at a time, keeps no tree, and needs no
// reason. One scanner under both was 80 lines longer than the two.
package guard
