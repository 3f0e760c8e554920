package main

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

func installCommand() command {
	return command{
		name: "install", args: "[flags] SPEC...", short: "install packages for run, and start nothing",
		long: `Installs each package as run does before its first start: by its own package manager,
in a sandbox that reaches the registries alone and can write nothing but the new
folder of the store. No install script runs unless --scripts says so. SPEC is
npm:NAME[@RANGE], pypi:NAME[==VERSION] or go:PACKAGE@VERSION. run finds the package if
its line has the same range, or none as here, or the exact version, and if packages come
from the same place there: registry, package manager, proxy and authorities.

Prints the name, the version and the folder of each package. The exit status is 125
if one could not be installed; those before it stay.
`,
		tips: `  mcp-sandbox install npm:@modelcontextprotocol/server-filesystem
  mcp-sandbox install --min-age 7d npm:@scope/name@^2
  mcp-sandbox install --json npm:@scope/name@1.2.3 | jq -r '.packages[].path'
`,
		flags: installOptions, run: installPackages,
	}
}

func installOptions() *options {
	o := newOptions()
	addInstall(o)
	o.add("level", "network", "give the install the host's network, where this machine cannot confine it", "",
		func(s string) error {
			if s != string(policy.LevelNetwork) {
				return errors.New("takes network: every other level installs by the names of the registries")
			}
			o.options.Level = policy.LevelNetwork
			return nil
		})
	o.add("quiet", "", "say nothing on standard error but why it fails", "true", truth(&o.flags.Quiet))
	o.add("json", "", "print it as JSON", "true", truth(&o.json))
	return o
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

func installPackages(o *options, args []string) int {
	specs, err := specsOf(args)
	if err != nil {
		return usageError("mcp-sandbox install", err.Error())
	}
	o.options.NoProgram = true
	var l listing
	for _, s := range specs {
		r, err := prepare(o, s.Start(), o.options.Level, false)
		if err != nil {
			showListing(o, &l)
			return failInstall(err)
		}
		l.add(r.Package)
	}
	return showListing(o, &l)
}

// failInstall says why an install did not come about.
func failInstall(err error) int {
	code := fail(text.Printable(err.Error()))
	if signalled, ok := errors.AsType[*interrupted](err); ok {
		return signalled.exitCode()
	}
	return code
}

// showListing prints the packages of an install or an update.
func showListing(o *options, l *listing) int {
	if o.json {
		return show(asJSON(&listing{append([]stored{}, l.Packages...)}))
	}
	s := ""
	for _, p := range l.Packages {
		s += p.title() + "  " + text.Printable(p.Path) + "\n"
	}
	return show(s)
}

// say writes a line unless --quiet is there.
func say(o *options, line string) {
	if !o.flags.Quiet {
		reexec.Say(line)
	}
}
