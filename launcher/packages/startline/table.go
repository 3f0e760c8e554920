package startline

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A tool is one form of line: a program with the word or words behind which a package is named. Lists stand between
// spaces.
type tool struct {
	name     string
	manager  string
	programs string // base names
	verb     string // "" for a program that does nothing else
	ignored  string // flags that change nothing for the program: answers, and the tool's output
	valued   string // such flags with a value
	kept     string // flags for Start.Options
	packages string // flags that name a package; the first word is a program then
	with     string // flags that name a package for the program's environment
	mixed    bool   // flags are read behind the package too, until "--"
	form     form
	read     func(*tool, []string) (*Start, string)
}

// A form reads the name of a package as a tool takes it.
type form func(word string) (Spec, string)

// Flags of many tools.
const (
	quiet   = " -q --quiet -s --silent "
	npmOnes = " -y --yes --ignore-scripts --prefer-offline -d " + quiet
)

// scripts are starters that node(1) runs.
const scripts = "npx-cli.js npm-cli.js pnpm.cjs pnpm.mjs"

// tools are the forms. parity_linux_test.go tries with the real tools how a flag changes the program's arguments, but
// for uvx and pipx: uvx is read as uv's documentation says, pipx as its parser of arguments does.
func tools() []tool {
	npx := tool{name: "npx", manager: "npm", programs: "npx npx-cli.js", form: npmSpec, read: readPackage,
		ignored: npmOnes, valued: "--loglevel", packages: "-p --package"}
	exec := tool{name: "npm exec", manager: "npm", programs: "npm npm-cli.js", verb: "exec", form: npmSpec,
		read: readPackage, ignored: npmOnes, valued: "--loglevel", packages: "--package", mixed: true}
	dlx := tool{name: "pnpm dlx", manager: "npm", programs: "pnpm pn pnpm.cjs pnpm.mjs", verb: "dlx", form: npmSpec,
		read: readPackage, ignored: "-y --yes -s --silent", valued: "--loglevel --reporter", packages: "--package"}
	bunx := tool{name: "bunx", manager: "npm", programs: "bunx", form: npmSpec, read: readPackage,
		ignored: "-y --yes --silent --verbose --ignore-scripts", kept: "--bun", packages: "-p --package"}
	uvx := tool{name: "uvx", manager: "pypi", programs: "uvx", form: uvSpec, read: readPackage,
		ignored: "-q --quiet -v --verbose --no-progress", packages: "--from", with: "-w --with"}
	return []tool{
		npx, exec, exec.as("npm exec", "npm npm-cli.js", "x"),
		dlx, dlx.as("pnpm dlx", "pnpx pnx", ""),
		bunx, bunx.as("bunx", "bun", "x"),
		uvx, uvx.as("uv tool run", "uv", "tool run"),
		{name: "pipx run", manager: "pypi", programs: "pipx", verb: "run", form: pipxSpec, read: readPackage,
			ignored: "-q --quiet -v --verbose", packages: "--spec"},
		{name: "deno run", manager: "npm", programs: "deno", verb: "run", read: readDeno},
		{name: "go run", manager: "go", programs: "go", verb: "run", read: readGo},
		{name: "yarn dlx", programs: "yarn yarnpkg", verb: "dlx",
			read: refused("mcp-sandbox installs no packages for yarn")},
		{name: "deno x", programs: "deno", verb: "x", read: refused("of deno only deno run npm:NAME is understood")},
		{name: "uv run", programs: "uv", verb: "run",
			read: refused("uv installs what the project or the script names")},
		{name: "dnx", programs: "dnx", read: refused("mcp-sandbox installs no packages of NuGet")},
	}
}

// as is the same tool under another name.
func (t tool) as(name, programs, verb string) tool {
	t.name, t.programs, t.verb = name, programs, verb
	return t
}

func refused(reason string) func(*tool, []string) (*Start, string) {
	return func(*tool, []string) (*Start, string) { return nil, reason }
}

// afterVerb returns the words behind the tool's verb, and flags that are kept. They, and those that change nothing, may
// stand before the verb; of npm and pnpm also those that name packages, which are configuration there.
func (t *tool) afterVerb(words []string) (rest []string, found bool, reason string) {
	verb := strings.Fields(t.verb)
	var kept []string
	rest = words
	for len(verb) > 0 {
		if len(rest) == 0 {
			return nil, false, ""
		}
		flag, _, given := strings.Cut(rest[0], "=")
		packages := has("npm pnpm", strings.Fields(t.name)[0]) && has(t.packages, flag)
		switch {
		case rest[0] == verb[0]:
			rest, verb = rest[1:], verb[1:]
		case has(t.kept, rest[0]):
			kept, rest = append(kept, rest[0]), rest[1:]
		case has(t.ignored, rest[0]), has(t.valued, flag) && given:
			rest = rest[1:]
		case packages && given:
			kept, rest = append(kept, rest[0]), rest[1:]
		case (packages || has(t.valued, flag)) && len(rest) > 1:
			if packages {
				kept = append(kept, rest[:2]...)
			}
			rest = rest[2:]
		case !strings.HasPrefix(rest[0], "-"), rest[0] == "--":
			return nil, false, ""
		default: // a flag that may have a value
			return nil, slices.Contains(rest, verb[0]), t.notUnderstood(rest[0])
		}
	}
	return slices.Concat(kept, rest), true, ""
}

func has(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// notUnderstood says the flag without the value, which may be a secret.
func (t *tool) notUnderstood(flag string) string {
	flag, _, _ = strings.Cut(flag, "=")
	switch {
	case flag == "-p" && t.mixed:
		return "npm exec reads -p as --parseable: write --package"
	case has("-c --call --shell-mode", flag):
		return t.name + " hands the words behind " + flag + " to a shell"
	case has("--no --no-install --no-yes --offline --cached-only", flag):
		return "the flag " + flag + " says that nothing is to be installed"
	case has("--registry --index-url --default-index --index --extra-index-url", flag):
		return "the flag " + flag + " names a registry: only those of the configuration are asked"
	case has("-w --workspace --workspaces -ws -F --filter -r --recursive", flag):
		return "the flag " + flag + " starts what is in workspaces"
	case t.mixed:
		return "the flag " + text.Word(flag) + " is not understood, and " + t.name +
			" takes each flag for its own: those of the package's program stand behind \"--\""
	}
	return "the flag " + text.Word(flag) + " of " + t.name + " is not understood"
}
