package install_test

import (
	"context"
	"log"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A host that starts the words behind its name as mcp-sandbox run does: npx -y NAME ARG...
func Example() {
	reexec.Init() // first of all: where a launch needs it, the launcher starts this very program again
	ctx := context.Background()
	sb, err := prepare(ctx, policy.Policy{}, os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	sb.Cmd.Stdin, sb.Cmd.Stdout, sb.Cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := sb.Cmd.Start(); err != nil {
		log.Fatal(err)
	}
	report, err := sb.Report(ctx)
	if err != nil {
		log.Fatal(err) // refused: the server has not run
	}
	if p := report.Package; p != nil {
		log.Printf("%s %s, confinement %s, profile %q", p.Name, p.Version, report.Confinement, report.Profile)
	}
	result, err := sb.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(result.ExitCode)
}

// prepare is launcher.Command for a line as it stands in an mcp.json. A package that the store has not is installed.
func prepare(ctx context.Context, pol policy.Policy, command []string) (*launcher.Sandbox, error) {
	target := launcher.Target{Path: command[0], Args: command[1:]}
	start, err := startline.Parse(command)
	if err != nil {
		log.Print(err) // a *startline.Unknown: the line runs as it is
	}
	if start == nil {
		return launcher.Command(ctx, pol, target)
	}
	packages, err := store.Open(os.Getenv)
	if err != nil {
		return nil, err
	}
	defer packages.Close()
	ready, err := install.Prepare(ctx, packages, start, install.Options{Level: pol.Level})
	if err != nil {
		return nil, err
	}
	for _, line := range ready.Lines {
		log.Print(line) // what was installed, and whose install scripts were not run
	}
	if err := ready.Package.Touch(); err != nil { // store prune removes what was not used for long
		return nil, err
	}
	known, err := profile.For(command)
	if err != nil {
		return nil, err
	}
	if known != nil { // what the package needs is added to what the policy grants
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		applied, err := known.Apply(pol, start.Args, os.Environ(), os.Getenv("HOME"), dir)
		if err != nil {
			return nil, err
		}
		for _, n := range applied.Notices {
			log.Print(n.Line) // an argument or a variable that the profile does not grant
		}
		pol, target.Profile, target.Leads = applied.Policy, known.Package, applied.Leads
	}
	pol, target = ready.Apply(pol, target)
	return launcher.Command(ctx, pol, target)
}
