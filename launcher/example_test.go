package launcher_test

import (
	"context"
	"fmt"
	"log"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A host that starts a server which may read one folder and nothing else. An SDK may start sb.Cmd in place of the host.
func ExampleCommand() {
	reexec.Init() // the first line of main

	p := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{"~/notes"}}}
	ctx := context.Background()
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: "/usr/bin/server", Args: []string{"--stdio"}})
	if err != nil {
		log.Fatal(err) // the policy is wrong
	}
	if err := sb.Cmd.Start(); err != nil {
		log.Fatal(err)
	}
	report, err := sb.Report(ctx)
	if err != nil {
		log.Fatal(err) // refused: the server has not run
	}
	for _, l := range report.Layers {
		fmt.Println(l.Layer, l.State)
	}
	result, err := sb.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Cause, result.ExitCode)
}
