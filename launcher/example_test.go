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

// A host that shows what its server is refused while the server runs, and counts it at the end.
func ExampleTarget_onDenied() {
	reexec.Init() // the first line of main

	p := policy.Policy{Network: policy.Network{AllowedDomains: []string{"api.example.com"}}}
	sb, err := launcher.Command(context.Background(), p, launcher.Target{
		Path: "/usr/bin/server",
		OnDenied: func(d launcher.Denial) {
			log.Printf("refused: %s %s%s; allow it with %s", d.Kind, d.Host, d.Syscall, d.Flag)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := sb.Cmd.Run(); err != nil {
		log.Print(err)
	}
	result, err := sb.Wait(context.Background())
	if err != nil {
		log.Fatal(err) // the server has not run
	}
	for _, d := range result.Denied {
		fmt.Println(d.Count, d.Kind, d.Host, d.Port, d.Syscall, d.Errno)
	}
}

// A host that asks why its server cannot open a file, and shows its user what would change that.
func ExampleWhy() {
	reexec.Init() // the first line of main

	p := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{"~/notes"}}}
	target := launcher.Target{Path: "/usr/bin/server"}
	a, err := launcher.Why(context.Background(), p, target,
		launcher.Question{Path: "/srv/data/table.csv", Op: launcher.OpRead})
	if err != nil {
		log.Fatal(err) // no launch would take this policy
	}
	fmt.Println(a.Allowed, a.Text)
	for _, line := range a.Opens { // first of all
		fmt.Println("opens:", line)
	}
	for _, step := range a.Patch {
		fmt.Println(step.Op, step.Path, step.Value)
	}
}
