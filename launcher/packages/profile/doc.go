// Package profile has the needs of servers from packages that many people use: hosts, variables, the arguments that
// name folders or hosts, and whether a home has to last.
//
//	p, err := profile.ByName("npm:@modelcontextprotocol/server-github") // nil, nil: no profile has that package
//	applied, err := p.Apply(pol, args, os.Environ(), home, dir)
//
// A profile only adds to a policy: [Profile.Apply] takes nothing away, and all that the policy denies stays denied.
// Nothing here looks at package.json: a profile goes by the name that the registry was asked for. Whether a profile is
// applied is the caller's to decide; mcp-sandbox run does, mcp-sandbox-init and package launcher never do.
//
// The documents are data/ECOSYSTEM/NAME.json, linked into the program:
//
//	{"package": "npm:@x/y",
//	 "policy": {"network": {"allowedDomains": ["api.example.com:443"]}, "limits": {"openFiles": 4096}},
//	 "arguments": [{"position": 0, "rest": true, "grant": "write"}, {"flag": "--db", "grant": "host"}],
//	 "env": {"required": ["X_TOKEN"], "optional": ["X_*"]},
//	 "flags": ["--header"],
//	 "hostsFrom": ["X_URL"],
//	 "state": true, "moves": true}
//
// policy holds keys that grant: allowedDomains, allowRead and allowWrite of fixed places, limits that raise, and
// variables with values that may begin with "~/" for the home. Each entry of arguments has a source, position, flag or
// variable, or several, of which the first that is given counts:
//
//   - position N is the argument N of those that are no flags, from 0 on; with rest, all from there on. The word behind
//     a flag counts as an argument unless the document has that flag: one that grants nothing stands in flags
//   - flag is the word behind --flag, or the part behind --flag=; each time that it occurs
//   - variable is a variable of the server
//
// and one grant: read or write of the path, of the folder around it with folder true; or host, the host of a URL or
// connection string. Of a host without a scheme, scheme says which is meant, and portFrom which variable has the port.
// A file that is read may have key: the URLs behind that key, in YAML or JSON, name hosts that are reached; a variable
// may then list several files, as PATH does. default is the value where no source is given, nor one of unless; "-~/x"
// is a path that may be missing. A source that names one host of a default with several means them all. hostsFrom are
// variables with a URL.
//
// moves says that the server renames files from one of its folders to another, which two grants do not let it do.
//
// Beside required and optional, env may have unless: variables, and flags with a value, of which one makes up for
// missing ones of required.
//
// A place of secrets, as ~/.kube, is granted for no argument, but for a server whose default lies in that place.
package profile
