package pipeline

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A KeyFlag is a flag of one of the policy's keys.
type KeyFlag struct {
	negated string // the name of a switch that sets the key to always; "" where the flag is that of the table of keys
	Key     string // "" for a heading of the help
	value   string // the value's name in the help; "" for a switch
	text    string // one line of help
	always  string // "" where it takes a value, or true or false
}

// Flag returns the flag with its dashes.
func (k *KeyFlag) Flag() string {
	if k.negated != "" {
		return "--" + k.negated
	}
	return policy.Flag(k.Key)
}

// KeyFlags are the flags of all keys in the order of the help, with its headings.
func KeyFlags() []KeyFlag {
	return []KeyFlag{
		{text: "Confinement"},
		{"", "level", "strict|standard|network|privileged", "set of defaults (default standard)", ""},
		{"", "minConfinement", "full|reduced|limits|none", "refuse to start with less", ""},
		{"", "seccomp.deny", "NAME", "refuse this system call as well (again for more)", ""},
		{"", "user", "UID:GID", "the server's ids, if you are root (default 65533:65533)", ""},

		{text: "Files (a folder stands for all below it; -PATH may be missing)"},
		{"", "filesystem.allowRead", "PATH", "let it read this (again for more)", ""},
		{"", "filesystem.allowWrite", "PATH", "let it read and write this (again for more)", ""},
		{"", "filesystem.denyRead", "PATH", "hide this inside of what is allowed", ""},
		{"", "filesystem.denyWrite", "PATH", "keep this read-only inside of what is allowed", ""},
		{"", "filesystem.default", "deny|read",
			"read: all of the host's files can be read (default deny)", ""},
		{"", "filesystem.tmpSize", "SIZE", "cap of the private /tmp and home together", ""},
		{"", "state", "NAME", "keep its home under this name (mcp-sandbox state list)", ""},
		{"", "cwd", "FOLDER", "working folder (default: this one if visible, else the home)", ""},
		{"", "umask", "OCTAL", "file mode mask, as 0077 (default: the launcher's)", ""},

		{text: "Network"},
		{"", "network.allowedDomains", "HOST",
			"let it reach HOST, HOST:PORT, *.HOST (again for more)", ""},
		{"", "network.deniedDomains", "HOST",
			"but not this one; without :PORT on no port", ""},
		{"", "network.allowPrivate", "", "names may lead to private addresses", ""},
		{"no-check-server-name", "network.checkServerName", "",
			"on port 443 TLS clients may ask for other names", "false"},
		{"", "network.allowUnixSockets", "PATH",
			"let it connect to this socket, or '$SSH_AUTH_SOCK'", ""},
		{"", "network.publish", "[ADDRESS:]HOSTPORT:PORT",
			"connect HOSTPORT of this machine with its PORT", ""},

		{text: "Process"},
		{"", "env", "NAME[=VALUE]",
			"set a variable, or forward yours, or all PREFIX_* (again for more)", ""},
		{"", "subprocess.allow", "", "whether it may start programs", ""},
		{"no-subprocess", "subprocess.allow", "", "the same as --subprocess=false", "false"},
		{"", "onStdinClose", "terminate|ignore",
			"what the end of its input means (default ignore)", ""},
		{"", "onHostExit", "terminate|ignore",
			"what the end of the program that started this one means", ""},

		{text: "Limits (sizes as 512M or 2G)"},
		{"", "limits.memory", "SIZE", "memory (default 2G)", ""},
		{"", "limits.cpu", "CORES", "rate of CPU time, as 500m or 2", ""},
		{"", "limits.pids", "N", "processes and threads (default 512)", ""},
		{"", "limits.openFiles", "N", "open files (default 1024)", ""},
		{"", "limits.fileSize", "SIZE", "largest file it may write", ""},
		{"", "limits.addressSpace", "SIZE",
			"address space of each process; breaks Node, Java and Go", ""},
		{"", "limits.io", "SIZE", "bytes a second of the disks behind the grants", ""},
		{"", "limits.timeout", "TIME", "end it after this long, as 90s or 1h", ""},
		{"", "limits.grace", "TIME", "between SIGTERM and SIGKILL (default 5s; 1.5s if the host sends SIGTERM)", ""},
	}
}

// valued is what to write in place of a switch that takes no value, where the key has another that does.
func valued(key string) string {
	flag := policy.Flag(key)
	if strings.HasPrefix(flag, "--no-") {
		return ""
	}
	return ": write " + flag + "=true or " + flag + "=false"
}
