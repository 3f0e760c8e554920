package transport_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A Go host asks for the guard in the target: messages reach it as they are, and at once; the rest is on standard
// error.
func TestGuardOfHost(t *testing.T) {
	message := `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	said := []string{"Listening on stdio\n", message, "{\"level\":\"info\"}\n", message, "[]\n\n"}
	for name, guard := range map[string]bool{"on": true, "off": false} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
			defer cancel()
			command := serve(t, "say", said...)
			sb, err := launcher.Command(ctx, policy.Policy{Limits: policy.Limits{Grace: policy.Duration(testbed.Patience())}}, launcher.Target{Path: command[0], Args: command[1:], StdoutGuard: guard})
			if err != nil {
				t.Fatal(err)
			}
			defer sb.Close()
			var out, errs bytes.Buffer
			in, err := sb.Cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			sb.Cmd.Stdout, sb.Cmd.Stderr = &out, &errs
			if err := sb.Cmd.Start(); err != nil {
				t.Fatal(err)
			}
			in.Close()
			if err := sb.Cmd.Wait(); err != nil {
				t.Error(err)
			}
			want, rest := strings.Join(said, ""), ""
			if guard {
				const tag = "mcp-sandbox: stdout: "
				want, rest = message+message, tag+said[0]+tag+said[2]+tag+"[]\n"+tag+"\n"
			}
			if out.String() != want || !strings.HasSuffix(errs.String(), rest) {
				t.Errorf("output %q, errors %q", out.String(), errs.String())
			}
		})
	}
}

// A pipe behind a server with a terminal that nobody reads any more ends the server: it has no SIGPIPE to end of.
func TestNobodyLooks(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(master, slave)
	cmd := launch{Launch: host.Launch{TTY: true, Command: []string{"/bin/sh", "-c", "yes"}}}.cmd(t)
	out, theirs := pipeTo(t)
	cmd.Stdin, cmd.Stdout = slave, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	if n, err := out.Read(make([]byte, 10)); n == 0 {
		t.Error(err)
	}
	out.Close()
	within(t, "the end", func() { cmd.Wait() })
	if code := cmd.ProcessState.ExitCode(); code != 128+1 {
		t.Errorf("exit code %d", code)
	}
}
