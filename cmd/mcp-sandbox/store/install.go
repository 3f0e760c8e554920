package store

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/installing"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

func installCommand() cli.Command {
	return cli.Command{
		Name: "install", Args: "[flags] SPEC...", Short: "install packages for run, and start nothing",
		Long: `Installs each package as run does before its first start: by its own package manager,
in a sandbox that reaches the registries alone and can write nothing but the new
folder of the store. No install script runs unless --scripts says so. SPEC is
npm:NAME[@RANGE], pypi:NAME[==VERSION] or go:PACKAGE@VERSION. run finds the package if
its line has the same range, or none as here, or the exact version, and if packages come
from the same place there: registry, package manager, proxy and authorities.

Prints the name, the version and the folder of each package. The exit status is 125
if one could not be installed; those before it stay.
`,
		Tips: `  mcp-sandbox install npm:@modelcontextprotocol/server-filesystem
  mcp-sandbox install --min-age 7d npm:@scope/name@^2
  mcp-sandbox install --json npm:@scope/name@1.2.3 | jq -r '.packages[].path'
`,
		Setup: setupInstall(installPackages),
	}
}

type installRun func(f *cli.Flags, i *installing.Installer, json bool, args []string) int

// setupInstall is the setup of a command that installs.
func setupInstall(run installRun) func(*cli.Flags) cli.Run {
	return func(f *cli.Flags) cli.Run {
		i := installing.New(f)
		i.AddFlags()
		f.Value("level", "network", "give the install the host's network, where this machine cannot confine it",
			func(s string) error {
				if s != string(policy.LevelNetwork) {
					return errors.New("takes network: every other level installs by the names of the registries")
				}
				i.Options.Level = policy.LevelNetwork
				return nil
			})
		f.Switch("quiet", "say nothing on standard error but why it fails", &f.Stderr.Quiet)
		json := f.JSON()
		i.Options.NoProgram = true
		return func(args []string) int { return run(f, i, *json, args) }
	}
}

// specsOf reads the arguments of a command that takes packages.
func specsOf(args []string) (all []startline.Spec, err error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil, errors.New("no package: name one, as in npm:@scope/name")
	}
	for _, word := range args {
		s, err := startline.ParseSpec(word)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func installPackages(_ *cli.Flags, i *installing.Installer, json bool, args []string) int {
	specs, err := specsOf(args)
	if err != nil {
		return cli.UsageError("install", err.Error())
	}
	var l listing
	for _, s := range specs {
		r, err := i.Prepare(s.Start(), i.Options.Level, false)
		if err != nil {
			showListing(json, &l)
			return failInstall(err)
		}
		l.add(r.Package)
	}
	return showListing(json, &l)
}

// failInstall says why an install did not come about.
func failInstall(err error) int {
	return max(cli.Fail(text.Printable(err.Error())), installing.ExitCode(err))
}

// showListing prints the packages of an install or an update.
func showListing(json bool, l *listing) int {
	if json {
		return cli.ShowJSON(&listing{append([]stored{}, l.Packages...)})
	}
	s := ""
	for _, p := range l.Packages {
		s += p.title() + "  " + text.Printable(p.Path) + "\n"
	}
	return cli.Show(s)
}
