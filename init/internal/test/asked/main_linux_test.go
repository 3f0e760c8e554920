package asked_test

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// serverIs is argument 1 of this test binary as a server. What it is asked for follows.
const serverIs = "-asked-server"

func TestMain(m *testing.M) {
	host.Main(testbed.Roles{serverIs: serve})
	os.Exit(testbed.Run(m))
}

// serve makes the calls of a list in JSON and prints their results; an empty list asks for the environment.
func serve(words []string) int {
	var calls []attempt
	err := json.Unmarshal([]byte(words[0]), &calls)
	var answer any = os.Environ()
	if err == nil && len(calls) > 0 {
		answer = makeAll(calls)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(answer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	syscall.Exit(0)
	return 0
}

// launched runs the server under a policy, with a launcher of this environment, and reads what it printed.
func launched(t *testing.T, document, request string, env []string) (answer []string, run *host.Run) {
	t.Helper()
	l := host.Launch{Policy: document, Command: []string{testbed.Self(t, "server"), serverIs, request}, Env: env}
	run = host.Finish(t, l.Cmd(t))
	if err := json.Unmarshal(run.Stdout.Bytes(), &answer); err != nil || run.Code != 0 {
		t.Fatalf("%s: code %d, %v, %s\n%s", document, run.Code, err, &run.Stdout, &run.Stderr)
	}
	return answer, run
}

func parsed(t *testing.T, document string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(document))
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return &p
}
