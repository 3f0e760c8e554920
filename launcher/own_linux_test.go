package launcher_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// ownHost is argument 0 of this test binary when it is a host whose server may write where its binary lies.
const ownHost = "launcher.test own"

// TestAsOwnHost is such a host: it prints the report's paths, and what the server said.
func TestAsOwnHost(t *testing.T) {
	if os.Args[0] != ownHost {
		t.Skip("TestOwnBinaryIsKept starts this one")
	}
	dir, program := os.Getenv("OWN_DIR"), os.Getenv("OWN_PROGRAM")
	server := testbed.Own{Dir: dir}.Spoil(program)
	p := policy.Policy{Filesystem: policy.Filesystem{AllowWrite: []string{dir}}}
	sb, err := launcher.Command(t.Context(), p, launcher.Target{Path: server[0], Args: server[1:], Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	out, err := sb.Cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	report, err := sb.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]any{"protected": report.Protected})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s\n%s", b, out)
}

// A Go host is its own launcher: a server that could write its binary would be the host at its next start.
func TestOwnBinaryIsKept(t *testing.T) {
	own := testbed.OwnFiles(t)
	cmd := exec.Command(own.Program)
	cmd.Args, cmd.Dir = []string{ownHost, "-test.run=^TestAsOwnHost$"}, own.Dir
	cmd.Env = append(os.Environ(), "OWN_DIR="+own.Dir, "OWN_PROGRAM="+own.Program, testbed.NoWait)
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	enforced, out, _ := strings.Cut(string(text), "\n")
	out, _, _ = strings.Cut(out, "PASS\n")
	own.Kept(t, out, enforced, own.Program)
}
