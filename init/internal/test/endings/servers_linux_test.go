package endings_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A server is one that is hard to end. It says "ready", and ends with code 7 when it is sent a line.
type server struct {
	name       string
	script     string // of sh(1); END stands for the waiting
	node       string // of Node.js instead
	beside     int    // so many processes live besides the server
	dead       int    // and so many are dead
	stops      bool   // the server stops itself, so that it cannot end by itself
	stubborn   bool   // ignores what asks it to end
	beStubborn string // makes it so
}

const (
	ends  = "echo ready; read x; exit 7"
	waits = "echo ready; exec sleep 1000"
	deaf  = `trap "" TERM INT HUP; `
)

func servers() []server {
	dead := 500
	if testing.Short() {
		dead = 25
	}
	return []server{
		{name: "node", beStubborn: "process.on('SIGTERM', () => {}); ",
			node: "process.stdin.once('data', () => process.exit(7)); process.stdin.on('end', () => {}); setInterval(() => {}, 1e6); console.log('ready')"},
		{name: "tree", script: `sh -c "sleep 1000 & sleep 1000; :" & sleep 1000 & END`, beside: 4, beStubborn: deaf},
		{name: "daemon", script: `(setsid sleep 1000 & setsid sh -c "setsid sleep 1000 & sleep 1000; :" &); END`, beside: 4, beStubborn: deaf},
		{name: "deaf", script: deaf + "END", stubborn: true},
		{name: "stopped", script: `sh -c "kill -STOP \$\$" & echo ready; kill -STOP $$; exec sleep 1000`, beside: 1, stops: true, beStubborn: deaf},
		// dash reaps after each command of its own: so the parent of the dead is in the middle of one from before the
		// first ends.
		{name: "zombies", script: `cd ${TMPDIR:-/tmp}; mkfifo f g; { i=0; while [ $i -lt ` + strconv.Itoa(dead) + ` ]; do read x <f & i=$((i+1)); done; read x <g; } &
			{ exec 3>g; while :; do : >f; done; } & END`, beside: 2, dead: dead, beStubborn: deaf},
	}
}

// shell is a server in sh(1).
func shell(script string) []string { return []string{"/bin/sh", "-c", script} }

// command is the server's, which waits until it is ended or ends by itself.
func (s *server) command(t *testing.T, byItself, stubborn bool) []string {
	t.Helper()
	before := ""
	if stubborn {
		before = s.beStubborn
	}
	if s.node != "" {
		return []string{testbed.Node(t), "-e", before + s.node}
	}
	last := waits
	if byItself {
		last = ends
	}
	return shell(before + strings.ReplaceAll(s.script, "END", last))
}
