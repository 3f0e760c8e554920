// Package order is the data that crosses the descriptors between a host and the shim: an [Order] down, records up.
//
// Both are plain data with their encodings; nothing here makes a system call.
package order

// RunnerName is the name of a runner and of the init that it clones, in /proc/PID/comm. By this name a host
// finds those of a shim that it killed.
const RunnerName = "mcp-sandbox:run"

// ParentName is the name of the parent that a Go host starts in place of a shim. It is another one: the host's own code
// waits for that process.
const ParentName = "mcp-sandbox:par"

// An Order is everything the shim needs to start one server.
type Order struct {
	Policy  []byte   // the effective policy as policy.Policy.AppendJSON writes it: its SHA-256 is the report's
	Command []string // the command and its arguments, as the host gave them
	Env     []string // the server's environment
	Dropped []string // names of variables that were not forwarded
	Dir     string   // the launcher's working directory

	Files // protected inside write grants

	// ReportFD is the descriptor that gets the report, or -1.
	ReportFD int

	Beginning
	Stored
	Guide
	Flags
}

// A Beginning is Begin, the confinement to begin with, where a host knows that its machine refuses stronger ones, and
// Why, the text of that refusal; "" is the top.
type Beginning struct{ Begin, Why string }

// Files are absolute paths of a launch that belong to the host; "" where there is none.
type Files struct {
	PolicyFile, ReportFile, Launcher string
	// EnvFiles are the files that a launch's variables came from: a server that writes them chooses the next variables.
	EnvFiles []string
}

// Flags are the parts of an order that are true or false.
type Flags struct {
	// MinWritten is true where minConfinement was written out and is not a level's default.
	MinWritten bool
	// PidsWritten is true where limits.pids was written out and is not a level's default.
	PidsWritten bool
	// Keep asks for a report among those that are kept for mcp-sandbox why. There is no ReportFD then.
	Keep bool
	// TellDenied asks for the denied records on the host's channel.
	TellDenied bool
	// Probe asks for the evidence alone: everything is built and proved, and no server is released.
	Probe bool
	// Verbose asks for the report's essence on standard error.
	Verbose bool
	// Quiet leaves standard error to refusals.
	Quiet bool
	// Guided asks for notices: of variables, arguments and folders that the launcher has and the server does not get.
	Guided bool
	// TTY asks for a terminal of the server's own, connected with the one on the launcher's standard input.
	TTY bool
	// StdoutGuard sends lines of the server's standard output that are no JSON-RPC messages to standard error.
	StdoutGuard bool
}
