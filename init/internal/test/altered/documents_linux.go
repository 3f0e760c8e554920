package altered

// A Document is a policy, for a stage in a folder: see [Build].
type Document struct{ Name, Below, Text string }

// Documents are policies that together lay out every Op that there is.
var Documents = []Document{
	{"standard", "/var/tmp", Standard}, {"standard-in-tmp", "", Standard},
	{"one-exec", "", OnExec}, {"terminal", "", OnTerminal},
	{"network", "", `{"version":1,"level":"network","filesystem":{"allowWrite":["STAGE/write"]},
		"seccomp":{"deny":["sendmsg"]}}`},
	{"domains", "", Domains}, {"publish", "", Published},
	{"state", "/var/tmp", `{"version":1,"state":"acme","filesystem":{"allowWrite":["STAGE/write"],
		"allowRead":["STAGE/home/grant/deep"]}}`},
	{"package", "", `{"version":1,` + FromStore + `,"filesystem":{"allowWrite":["STAGE/write"]}}`},
	{"default-read", "", `{"version":1,"filesystem":{"default":"read","allowWrite":["STAGE/write"],
		"denyRead":["STAGE/read/denied","STAGE/read/secret"]}}`},
	{"default-read-elsewhere", "/var/tmp", `{"version":1,"filesystem":{"default":"read","allowWrite":["STAGE/write"],
		"denyRead":["STAGE/read/denied","STAGE/read/secret"]}}`},
	{"shut", "", `{"version":1,"filesystem":{"allowWrite":["STAGE/write","STAGE/outer"],` + denyShut + `}}`},
	{"shut-default-read", "/var/tmp", `{"version":1,"filesystem":{"default":"read","allowWrite":["STAGE/write"],` +
		denyShut + `}}`},
	{"reduced", "/var/tmp", Weaker(Standard, "reduced")}, {"reduced-in-tmp", "", Weaker(Standard, "reduced")},
	{"reduced-one-exec", "", Weaker(OnExec, "reduced")}, {"reduced-terminal", "", Weaker(OnTerminal, "reduced")},
	{"reduced-network", "", `{"version":1,"minConfinement":"reduced","level":"network",
		"filesystem":{"allowWrite":["STAGE/write"]}}`},
	{"reduced-old-landlock", "", `{"version":1,"minConfinement":"reduced",` + oldLandlock + `,
		"filesystem":{"allowWrite":["STAGE/write"]}}`},
	{"reduced-default-read", "/var/tmp", `{"version":1,"minConfinement":"reduced",
		"filesystem":{"default":"read","allowWrite":["STAGE/write"]}}`},
	{"reduced-domains", "", Weaker(Domains, "reduced")},
	{"sockets", Quiet, AllowedSockets}, // last: some machines have no such folder
}

// denyShut are denials below a folder that servers of root may not enter.
const denyShut = `"denyRead":["STAGE/outer/shut/in","STAGE/outer/shut/secret"]`

// What the documents of these two kinds of server have in them.
const (
	onlyOne      = `"subprocess":{"allow":false}`
	FromTerminal = `"umask":"0026","filesystem"`
	oldLandlock  = `"envVars":["ABI_2"]`
	FromStore    = `"envVars":["STORE"]`
)

// Domains is the policy of the server that may reach hosts by name, with ports of its own.
const Domains = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},"network":{"deniedDomains":["b.example"],` +
	`"allowedDomains":["192.0.2.1:22","localhost:5432","b.example:8443","*.a.example","c.example:443",` +
	`"[2001:db8::1]:443"]}}`

// AllowedSockets is the policy of the server that may connect to sockets of the host: below Landlock ABI 9 only where
// no grant is in a folder in which programs keep sockets.
const AllowedSockets = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},` +
	`"network":{"allowUnixSockets":["STAGE/sockets/stream","STAGE/sockets/packets","STAGE/sockets/datagrams"]}}`

// Published is the policy of the server that the host reaches, which may reach a host by name besides.
const Published = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},` +
	`"network":{"publish":["0:3000"],"allowedDomains":["c.example:443"]}}`

// OnExec is the policy of the server that may not start others.
const OnExec = `{"version":1,"subprocess":{"allow":false},"filesystem":{"allowWrite":["STAGE/write"]}}`

// OnTerminal is the policy of the server that gets a terminal.
const OnTerminal = `{"version":1,"umask":"0026","filesystem":{"allowWrite":["STAGE/write"]}}`

// Standard is the policy with most rows.
const Standard = `{"version":1,"filesystem":{"allowRead":["STAGE/read"],"allowWrite":["STAGE/write","STAGE/file"],
		"denyRead":["STAGE/read/denied","STAGE/read/secret"],"denyWrite":["STAGE/write/frozen"]},
		"limits":{"fileSize":"1G","addressSpace":"1T"},"umask":"0026","seccomp":{"deny":["getcwd"]}}`
