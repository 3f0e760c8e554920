package withheld

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// A fetcher is a program that fetches packages, to start or to install them.
type fetcher struct {
	names  string // base names, between spaces
	verbs  string // first words with which it fetches; "" for every one
	starts string // those of them that start what is installed, if that is there; "" for none
	bare   bool   // fetches without a word, too
	remote bool   // fetches what has a scheme or a registry in its name, as npm:NAME, and nothing else
	hangs  bool   // tries for a minute and more where there is no network
}

// fetchers are the table. npm and pnpm try again after 10 s and after 60 s, by their settings fetch-retry-mintimeout
// and fetch-retry-maxtimeout. yarn 1 gives up after a second. The others were not tried without a network: they are
// started.
func fetchers() [10]fetcher {
	const installs = " install i add ci update up create init "
	return [...]fetcher{
		{names: " npx npx-cli.js ", starts: "*", hangs: true},
		{names: " npm npm-cli.js ", verbs: " exec x" + installs, starts: " exec x ", hangs: true},
		{names: " pnpx ", hangs: true},
		{names: " pnpm ", verbs: " dlx" + installs, hangs: true},
		{names: " yarn yarnpkg ", verbs: " dlx" + installs, bare: true},
		{names: " bunx "},
		{names: " uvx "},
		{names: " bun ", verbs: " x" + installs},
		{names: " uv pipx ", verbs: " tool run sync add pip install "},
		{names: " deno ", verbs: " run serve install add x ", remote: true},
	}
}

// A fetch is what a command line asks of a fetcher.
type fetch struct {
	*fetcher
	program string // the command, and the name by which a person knows what fetches
	name    string
	pkg     string // the package as named, "" for none
	starts  bool   // what is installed, if that is there
	offline bool   // nothing is fetched
	prefers bool   // what was fetched before is used without a question
}

// fetchOf reads a command line; nil if it fetches nothing.
func fetchOf(words []string) *fetch {
	program := words[0]
	if startline.Program(program) == "node" && len(words) > 1 {
		words = words[1:]
	}
	table := fetchers()
	name := startline.Program(words[0])
	i := slices.IndexFunc(table[:], func(f fetcher) bool { return strings.Contains(f.names, " "+name+" ") })
	if i < 0 {
		return nil
	}
	f := &fetch{fetcher: &table[i], program: program, name: name}
	rest, named := operands(words[1:])
	if len(rest) > 1 && words[1][0] == '-' && f.verbs != "" && !strings.Contains(f.verbs+scripts, " "+rest[0]+" ") {
		rest = rest[1:] // perhaps the value of a flag in front of the verb
	}
	first := ""
	if len(rest) > 0 {
		first = rest[0]
	}
	f.starts = f.fetcher.starts == "*" || first != "" && strings.Contains(f.fetcher.starts, " "+first+" ")
	if f.verbs != "" {
		if first == "" && !f.bare || first != "" && !strings.Contains(f.verbs, " "+first+" ") {
			return nil
		}
		rest = rest[min(1, len(rest)):]
	}
	if rest = append(named, rest...); len(rest) > 0 {
		f.pkg = rest[0]
	}
	switch {
	case f.remote && !strings.Contains(f.pkg, ":"), f.verbs == "" && f.pkg == "",
		strings.HasPrefix(f.pkg, "."), strings.HasPrefix(f.pkg, "/"):
		return nil
	}
	for _, word := range words[1:] {
		f.prefers = f.prefers || word == "--prefer-offline"
		f.offline = f.offline || slices.Contains([]string{"--offline", "--cached-only", "--no", "--no-install",
			"--version", "-v", "-V", "--help", "-h"}, word)
	}
	return f
}

// scripts are verbs behind which a name is a project's script, and nothing is fetched.
const scripts = " run run-script start stop restart test exec "

// operands are the words without flags and the values of those that take one, and what --package and its like name.
func operands(words []string) (rest, named []string) {
	const valued = " -c --call --prefix -w --workspace -C --dir --cwd --loglevel --registry --cache --userconfig " +
		"--python --with --index-url --directory "
	for i := 0; i < len(words); i++ {
		word := words[i]
		flag, value, given := strings.Cut(word, "=")
		switch {
		case flag == "-p" || flag == "--package" || flag == "--from" || flag == "--spec":
			if !given && i+1 < len(words) {
				i++
				value = words[i]
			}
			named = append(named, value)
		case !given && strings.Contains(valued, " "+word+" "):
			i++
		case !strings.HasPrefix(word, "-"):
			rest = append(rest, word)
		}
	}
	return rest, named
}

// unversioned is a package's name without the version: "@scope/name" of "@scope/name@1.2".
func unversioned(pkg string) string {
	if i := strings.LastIndexByte(pkg, '@'); i > 0 {
		return pkg[:i]
	}
	return pkg
}
