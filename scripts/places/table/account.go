// Package table has the places in which servers are tried, and what is expected of each.
//
//	for _, place := range table.Places(table.Docker) {
//		differences := place.Compare(account)
//
// A place is a container of an engine or a unit of systemd. Command resident runs there and writes an [Account] of it.
package table

import (
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/reach"
)

// An Account is what a resident found in a place.
type Account struct {
	Problem string // why there is no account

	UID      int
	Groups   []int
	Doctor   launcher.Machine
	Code     int              // doctor's exit status
	Outside  []attempt.Result // what the probe does without a sandbox: it reads what is granted and what is not
	Inside   []attempt.Result // the same in one
	Probe    Launch           // of the probe
	Reach    reach.Found      // of a launch with allowed domains and a published port
	Sessions []Session
}

// A Launch is what a start with level standard came to.
type Launch struct {
	Confinement string // "" if it was refused
	Warnings    []string
	Refused     string // the refusal's record
	Stderr      string // of the launcher and the server
}

// A Session is one of a client with a server.
type Session struct {
	Server string
	Launch
	Seconds float64
	Tools   int    // that the server listed
	Error   string // of the session; "" is one that went through

	// Alone is the error of the same session without a sandbox. It is tried only where the session in one failed: a
	// place may be none for that server in any case.
	Alone string
}

// serversEnv is the variable with the servers of a run that has no time for all.
const serversEnv = "MCP_SANDBOX_PLACES_SERVERS"

// Servers are the names of the sessions.
func Servers() []string {
	if some := os.Getenv(serversEnv); some != "" {
		return strings.Split(some, ",")
	}
	return []string{"go", "python", "node", "java"}
}
