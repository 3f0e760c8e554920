package shim_test

// documents are policies that together lay out every Op that there is.
var documents = []struct{ name, below, text string }{
	{"standard", "/var/tmp", standard}, {"standard-in-tmp", "", standard},
	{"one-exec", "", onExec}, {"terminal", "", onTerminal}, {"network", "", `{"version":1,"level":"network","filesystem":{"allowWrite":["STAGE/write"]},"seccomp":{"deny":["sendmsg"]}}`},
	{"domains", "", domains}, {"publish", "", published}, {"state", "/var/tmp", `{"version":1,"state":"acme","filesystem":{"allowWrite":["STAGE/write"],"allowRead":["STAGE/home/grant/deep"]}}`},
	{"package", "", `{"version":1,` + fromStore + `,"filesystem":{"allowWrite":["STAGE/write"]}}`},
	{"default-read", "", `{"version":1,"filesystem":{"default":"read","allowWrite":["STAGE/write"],
		"denyRead":["STAGE/read/denied","STAGE/read/secret"]}}`},
	{"default-read-elsewhere", "/var/tmp", `{"version":1,"filesystem":{"default":"read","allowWrite":["STAGE/write"],
		"denyRead":["STAGE/read/denied","STAGE/read/secret"]}}`},
	{"shut", "", `{"version":1,"filesystem":{"allowWrite":["STAGE/write","STAGE/outer"],` + denyShut + `}}`},
	{"shut-default-read", "/var/tmp", `{"version":1,"filesystem":{"default":"read","allowWrite":["STAGE/write"],` + denyShut + `}}`},
	{"reduced", "/var/tmp", weaker(standard, "reduced")}, {"reduced-in-tmp", "", weaker(standard, "reduced")},
	{"reduced-one-exec", "", weaker(onExec, "reduced")}, {"reduced-terminal", "", weaker(onTerminal, "reduced")},
	{"reduced-network", "", `{"version":1,"minConfinement":"reduced","level":"network","filesystem":{"allowWrite":["STAGE/write"]}}`},
	{"reduced-old-landlock", "", `{"version":1,"minConfinement":"reduced",` + oldLandlock + `,"filesystem":{"allowWrite":["STAGE/write"]}}`},
	{"reduced-default-read", "/var/tmp", `{"version":1,"minConfinement":"reduced","filesystem":{"default":"read","allowWrite":["STAGE/write"]}}`},
	{"reduced-domains", "", weaker(domains, "reduced")},
	{"sockets", quiet, allowedSockets}, // last: some machines have no such folder
}

// denyShut are denials below a folder that servers of root may not enter.
const denyShut = `"denyRead":["STAGE/outer/shut/in","STAGE/outer/shut/secret"]`

// What the documents of these two kinds of server have in them.
const (
	onlyOne      = `"subprocess":{"allow":false}`
	fromTerminal = `"umask":"0026","filesystem"`
	oldLandlock  = `"envVars":["ABI_2"]`
	fromStore    = `"envVars":["STORE"]`
)

// domains is the policy of the server that may reach hosts by name, with ports of its own.
const domains = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},"network":{"deniedDomains":["b.example"],` +
	`"allowedDomains":["192.0.2.1:22","localhost:5432","b.example:8443","*.a.example","c.example:443","[2001:db8::1]:443"]}}`

// allowedSockets is the policy of the server that may connect to sockets of the host: below Landlock ABI 9 only where no
// grant is in a folder in which programs keep sockets.
const allowedSockets = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},` +
	`"network":{"allowUnixSockets":["STAGE/sockets/stream","STAGE/sockets/packets","STAGE/sockets/datagrams"]}}`

// published is the policy of the server that the host reaches, which may reach a host by name besides.
const published = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},` +
	`"network":{"publish":["0:3000"],"allowedDomains":["c.example:443"]}}`

// onExec is the policy of the server that may not start others.
const onExec = `{"version":1,"subprocess":{"allow":false},"filesystem":{"allowWrite":["STAGE/write"]}}`

// onTerminal is the policy of the server that gets a terminal.
const onTerminal = `{"version":1,"umask":"0026","filesystem":{"allowWrite":["STAGE/write"]}}`

const standard = `{"version":1,"filesystem":{"allowRead":["STAGE/read"],"allowWrite":["STAGE/write","STAGE/file"],
		"denyRead":["STAGE/read/denied","STAGE/read/secret"],"denyWrite":["STAGE/write/frozen"]},
		"limits":{"fileSize":"1G","addressSpace":"1T"},"umask":"0026","seccomp":{"deny":["getcwd"]}}`

// inShort are the documents, one of each confinement and the one with most rows, whose changes are tried with -short: all of them
// take more than a minute.
var inShort = []string{"standard", "terminal", "reduced", "reduced-domains", "limits"}

// limitsDocuments are the confinements below reduced.
var limitsDocuments = []struct{ name, below, text string }{
	{"limits", "", weaker(standard, "limits")}, {"limits-one-exec", "", weaker(onExec, "limits")},
}
