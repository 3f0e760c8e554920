package launcher_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A host may name another program as its shim. It is the shim's whatever asks for one: a variable of the host's, or
// what only the start tells, here a regular file as standard output.
func TestNamedShim(t *testing.T) {
	program := testbed.Command(t, "mcp-sandbox-init")
	for why, stage := range map[string]func(t *testing.T, sb *launcher.Sandbox){
		"asked for": func(t *testing.T, _ *launcher.Sandbox) { t.Helper() },
		"a file": func(t *testing.T, sb *launcher.Sandbox) {
			t.Helper()
			f, err := os.Create(t.TempDir() + "/out")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			sb.Cmd.Stdout = f
		},
	} {
		t.Run(why, func(t *testing.T) {
			if why == "asked for" {
				t.Setenv("MCP_SANDBOX_LAUNCH", "shim")
			}
			sb, err := launcher.Command(t.Context(), policy.Policy{},
				launcher.Target{Path: "/bin/sh", Args: []string{"-c", "read line"}, Dir: "/", Shim: program})
			if err != nil {
				t.Fatal(err)
			}
			defer sb.Close()
			stage(t, sb)
			in, err := sb.Cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := sb.Cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := sb.Report(within(t)); err != nil {
				t.Fatal(err)
			}
			if is, err := os.Readlink("/proc/" + strconv.Itoa(sb.Cmd.Process.Pid) + "/exe"); is != program {
				t.Errorf("the shim is %s, %v", is, err)
			}
			in.Close()
			if x, err := sb.Wait(within(t)); err != nil || x.ExitCode != 1 {
				t.Errorf("%+v, %v", x, err)
			}
			sb.Cmd.Wait()
		})
	}
}
