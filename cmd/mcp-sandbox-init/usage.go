package main

// usage is the text of --help.
const usage = `Usage: mcp-sandbox-init [flags] -- COMMAND [ARG...]

Starts one MCP server confined and stays with it until it ends. Standard input,
output and error are the server's alone.

  --policy-fd N         read the policy from descriptor N (3 or more) to its end
  --policy FILE         read the policy from a file
  --report-fd N         write what was proved to descriptor N (3 or more), as JSON Lines
  --level L             strict, standard, network or privileged; instead of the policy's
  --min-confinement C   full, reduced, limits or none: the weakest that may start the server
  --version             print the version, the commit and the version of Go
  --help                print this

Without a policy the server sees the base system and an empty home and /tmp, no
file of yours, and no network.

Exit status: the server's own; 128+N if signal N ended it; 125 if the sandbox
refused (the server has not run); 126 if COMMAND cannot be executed; 127 if it
was not found.

Examples:
  mcp-sandbox-init -- ./server --stdio
  mcp-sandbox-init --policy policy.json -- node server.js
  mcp-sandbox-init --policy-fd 3 --report-fd 4 -- node server.js 3<policy.json 4>report.jsonl
`
