// Package store has the commands that install packages, and those about what is installed.
package store

import "github.com/security-mcp/mcp-sandbox/cmd/internal/cli"

// Commands are those about the packages that run installed.
func Commands() []cli.Command {
	return []cli.Command{installCommand(), {
		Name: "store list", Args: "[--json]", Short: "list the packages that run installed",
		Long: `Lists the packages that run and install keep: how much of the disk each takes, when
a server was last started from it, and as what starts ask for it. A package that is
asked for as nothing is an older version, which prune removes.
`,
		Tips:  "  mcp-sandbox store list\n  mcp-sandbox store list --json | jq -r '.packages[].path'\n",
		Setup: cli.WithJSON(listStore),
	}, {
		Name: "store show", Args: "[--json] NAME", Short: "say what was installed of one package",
		Long: `Prints each installed version of a package: the folder, the registry and the hash of
the archive, the number of packages with the dependencies, and those whose install
scripts were not run.
`,
		Tips:  "  mcp-sandbox store show @modelcontextprotocol/server-filesystem\n",
		Setup: cli.WithJSON(showStored),
	}, {
		Name: "store update", Args: "[flags] [NAME...]", Short: "install anew what starts are resolved to",
		Long: `A start without a version, or with a range, keeps the version that was installed for
it. This asks the registries again: for the packages of these names, or for all. The
versions until now stay until prune; servers that run keep theirs. A package whose
folder was changed is replaced.
`,
		Tips:  "  mcp-sandbox store update\n  mcp-sandbox store update --min-age 7d @scope/name\n",
		Setup: setupInstall(updateStore),
	}, {
		Name: "store verify", Args: "[--json] [NAME...]", Short: "compare installed packages with what was written",
		Long: `Compares every file with the hash that was written down at its install. Names what
differs; the exit status is 1 then, and 0 if nothing does. A start compares less: what
the kernel says of each file, and the hashes where that changed.
`,
		Tips:  "  mcp-sandbox store verify && echo whole\n",
		Setup: cli.WithJSON(verifyStore),
	}, {
		Name: "store prune", Args: "[--json] [--keep SIZE]", Short: "remove packages that no start uses any more",
		Long: `Removes the versions that no start is resolved to any more. With --keep also others,
those first that were not used for the longest time, until the packages take at most
SIZE. A package from which a server runs stays.
`,
		Tips:  "  mcp-sandbox store prune\n  mcp-sandbox store prune --keep 2G\n",
		Setup: setupPrune,
	}}
}
