package main

func storeCommands() []command {
	return []command{{
		name: "store list", args: "[--json]", short: "list the packages that run installed",
		long: `Lists the packages that run and install keep: how much of the disk each takes, when
a server was last started from it, and as what starts ask for it. A package that is
asked for as nothing is an older version, which prune removes.
`,
		tips:  "  mcp-sandbox store list\n  mcp-sandbox store list --json | jq -r '.packages[].path'\n",
		flags: jsonOptions, run: listStore,
	}, {
		name: "store show", args: "[--json] NAME", short: "say what was installed of one package",
		long: `Prints each installed version of a package: the folder, the registry and the hash of
the archive, the number of packages with the dependencies, and those whose install
scripts were not run.
`,
		tips:  "  mcp-sandbox store show @modelcontextprotocol/server-filesystem\n",
		flags: jsonOptions, run: showStored,
	}, {
		name: "store update", args: "[flags] [NAME...]", short: "install anew what starts are resolved to",
		long: `A start without a version, or with a range, keeps the version that was installed for
it. This asks the registries again: for the packages of these names, or for all. The
versions until now stay until prune; servers that run keep theirs. A package whose
folder was changed is replaced.
`,
		tips:  "  mcp-sandbox store update\n  mcp-sandbox store update --min-age 7d @scope/name\n",
		flags: installOptions, run: updateStore,
	}, {
		name: "store verify", args: "[--json] [NAME...]", short: "compare installed packages with what was written",
		long: `Compares every file with the hash that was written down at its install. Names what
differs; the exit status is 1 then, and 0 if nothing does. A start compares less: what
the kernel says of each file, and the hashes where that changed.
`,
		tips:  "  mcp-sandbox store verify && echo whole\n",
		flags: jsonOptions, run: verifyStore,
	}, {
		name: "store prune", args: "[--json] [--keep SIZE]", short: "remove packages that no start uses any more",
		long: `Removes the versions that no start is resolved to any more. With --keep also others,
those first that were not used for the longest time, until the packages take at most
SIZE. A package from which a server runs stays.
`,
		tips:  "  mcp-sandbox store prune\n  mcp-sandbox store prune --keep 2G\n",
		flags: pruneOptions, run: pruneStore,
	}}
}
