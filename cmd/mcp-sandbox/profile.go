package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/source"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
	"github.com/security-mcp/mcp-sandbox/profile"
	"github.com/security-mcp/mcp-sandbox/store/startline"
)

func profileCommands() []command {
	return []command{{
		name: "profile list", args: "[--json]", short: "list the packages whose needs are known",
		long: `Lists the profiles that are part of this program: for each package the hosts, the
variables and the arguments that its server needs. run without --policy adds the
profile of the package that it starts to the flags; --profile none adds nothing.
`,
		tips:  "  mcp-sandbox profile list\n  mcp-sandbox profile list --json | jq -r '.profiles[].id'\n",
		flags: jsonOptions, run: listProfiles,
	}, {
		name: "profile show", args: "ID", short: "print a profile as its document",
		long: "Prints the document of a profile, as it is part of this program.\n",
		tips: "  mcp-sandbox profile show npm:@modelcontextprotocol/server-github\n",

		flags: newOptions, run: showProfile,
	}, {
		name: "profile for", args: "[--] COMMAND [ARG...]", short: "name the profile that run would use",
		long: `Prints the id of the profile that run adds for this command. The exit status is 1 if
there is none.
`,
		tips:  "  mcp-sandbox profile for npx -y @modelcontextprotocol/server-github\n",
		flags: profileForOptions, run: profileFor,
	}}
}

func listProfiles(o *options, args []string) int {
	if len(args) > 0 {
		return usageError("mcp-sandbox profile list", "unexpected "+source.Quote(args[0]))
	}
	l, err := profile.List()
	if err != nil {
		return fail("profile list: " + err.Error())
	}
	if o.json {
		return show(asJSON(&l))
	}
	var b strings.Builder
	for _, e := range l.Profiles {
		needs := append(append(append([]string{}, e.Hosts...), e.Env...), e.Arguments...)
		fmt.Fprintf(&b, "%-48s %s\n", e.ID, strings.Join(needs, " "))
	}
	return show(b.String())
}

func showProfile(_ *options, args []string) int {
	names := namesOf(args)
	if len(names) != 1 {
		return usageError("mcp-sandbox profile show", "one id of mcp-sandbox profile list is needed")
	}
	document, err := profile.Document(names[0])
	if err == nil && document == nil {
		err = errors.New(noSuchProfile(names[0]))
	}
	if err != nil {
		return fail("profile show " + strictjson.Printable(source.Quote(names[0])) + ": " + err.Error())
	}
	return show(string(document))
}

// noSuchProfile says what to type in place of an id that there is none of: most people write the name alone.
func noSuchProfile(id string) string {
	for _, ecosystem := range [...]string{"npm", "pypi"} {
		if p, err := profile.ByName(ecosystem + ":" + id); p != nil && err == nil {
			return "there is none, did you mean " + p.Package + "?"
		}
	}
	return "there is none (mcp-sandbox profile list)"
}

func profileForOptions() *options {
	o := newOptions()
	o.takesCommand = true
	return o
}

func profileFor(_ *options, args []string) int {
	command, err := commandOf(args)
	if err != nil {
		return usageError("mcp-sandbox profile for", err.Error())
	}
	start, err := startline.Parse(command)
	if err != nil {
		return fail(strictjson.Printable(err.Error()))
	}
	if start == nil {
		return 1
	}
	code := 1
	for _, s := range start.Specs {
		p, err := profile.ByName(idOf(s))
		if err != nil {
			return fail("profile for: " + err.Error())
		}
		if p != nil {
			code = show(p.Package + "\n")
		}
	}
	return code
}
