package main

import (
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
)

// A policyFlag is the flag of one of the policy's keys.
type policyFlag struct {
	name, key string
	value     string // the value's name in the help; "" for a switch
	text      string // one line of help
	always    string // a switch sets the key to this; "" where it takes true or false
}

// policyFlags is every flag that a key has, in the order of the help. A row without a name is a heading.
func policyFlags() []policyFlag {
	return []policyFlag{
		{text: "Confinement"},
		{"level", "level", "strict|standard|network|privileged", "set of defaults (default standard)", ""},
		{"min-confinement", "minConfinement", "full|reduced|limits|none", "refuse to start with less", ""},
		{"deny-syscall", "seccomp.deny", "NAME", "refuse this system call as well (again for more)", ""},
		{"user", "user", "UID:GID", "the server's ids, if you are root (default 65533:65533)", ""},

		{text: "Files (a folder stands for all below it; -PATH may be missing)"},
		{"allow-read", "filesystem.allowRead", "PATH", "let it read this (again for more)", ""},
		{"allow-write", "filesystem.allowWrite", "PATH", "let it read and write this (again for more)", ""},
		{"deny-read", "filesystem.denyRead", "PATH", "hide this inside of what is allowed", ""},
		{"deny-write", "filesystem.denyWrite", "PATH", "keep this read-only inside of what is allowed", ""},
		{"fs-default", "filesystem.default", "deny|read",
			"read: all of the host's files can be read (default deny)", ""},
		{"tmp-size", "filesystem.tmpSize", "SIZE", "cap of the private /tmp and home together", ""},
		{"state", "state", "NAME", "keep its home under this name (mcp-sandbox state list)", ""},
		{"cwd", "cwd", "FOLDER", "working folder (default: this one if visible, else the home)", ""},
		{"umask", "umask", "OCTAL", "file mode mask, as 0077 (default: the launcher's)", ""},

		{text: "Network"},
		{"allow-domain", "network.allowedDomains", "HOST",
			"let it reach HOST, HOST:PORT, *.HOST (again for more)", ""},
		{"deny-domain", "network.deniedDomains", "HOST",
			"but not this one; without :PORT on no port", ""},
		{"allow-private", "network.allowPrivate", "", "names may lead to private addresses", ""},
		{"no-check-server-name", "network.checkServerName", "",
			"on port 443 TLS clients may ask for other names", "false"},
		{"allow-unix-socket", "network.allowUnixSockets", "PATH",
			"let it connect to this socket, or '$SSH_AUTH_SOCK'", ""},
		{"publish", "network.publish", "[ADDRESS:]HOSTPORT:PORT",
			"connect HOSTPORT of this machine with its PORT", ""},

		{text: "Process"},
		{"env", "env", "NAME[=VALUE]",
			"set a variable, or forward yours, or all PREFIX_* (again for more)", ""},
		{"subprocess", "subprocess.allow", "", "whether it may start programs", ""},
		{"no-subprocess", "subprocess.allow", "", "the same as --subprocess=false", "false"},
		{"on-stdin-close", "onStdinClose", "terminate|ignore",
			"what the end of its input means (default ignore)", ""},
		{"on-host-exit", "onHostExit", "terminate|ignore",
			"what the end of the program that started this one means", ""},

		{text: "Limits (sizes as 512M or 2G)"},
		{"memory", "limits.memory", "SIZE", "memory (default 2G)", ""},
		{"cpu", "limits.cpu", "CORES", "rate of CPU time, as 500m or 2", ""},
		{"pids", "limits.pids", "N", "processes and threads (default 512)", ""},
		{"open-files", "limits.openFiles", "N", "open files (default 1024)", ""},
		{"file-size", "limits.fileSize", "SIZE", "largest file it may write", ""},
		{"address-space", "limits.addressSpace", "SIZE",
			"address space of each process; breaks Node, Java and Go", ""},
		{"io", "limits.io", "SIZE", "bytes a second of the disks behind the grants", ""},
		{"timeout", "limits.timeout", "TIME", "end it after this long, as 90s or 1h", ""},
		{"grace", "limits.grace", "TIME", "between SIGTERM and SIGKILL (default 5s)", ""},
	}
}

// addLaunch defines the flags that are no part of the policy.
func (o *options) addLaunch() {
	o.heading("Policy and report")
	flags := o.Flags()
	o.add(flags[0].Name, "FILE", "start from this policy; the flags below add to it", "", expanded(flags[0].Set))
	o.add(flags[1].Name, "N", "the same, from a descriptor (3 or more)", "", flags[1].Set)
	o.add("report", "FILE", "write what was proved to FILE, as JSON Lines", "", expanded(o.reportFile))
	o.add(flags[2].Name, "N", "the same, to a descriptor (3 or more)", "", flags[2].Set)
	o.add("verbose", "", "say on standard error what holds", "true", truth(&o.flags.Verbose))
	o.add("quiet", "", "say nothing on standard error but why it refuses to start", "true", truth(&o.flags.Quiet))
	o.heading("Terminal and output")
	addOnly(o, "linux", line{name: "tty", text: "give the server a terminal of its own, connected with this one"},
		"true", truth(&o.flags.TTY))
	o.add("stdout-guard", "", "send lines that are no JSON-RPC messages to standard error", "true",
		truth(&o.flags.StdoutGuard))
}

// addBackend defines the flags of the one other place where a server can run, which only macOS has.
func (o *options) addBackend() {
	const mac = "darwin"
	addOnly(o, mac, line{text: "Backend"}, "", nil)
	addOnly(o, mac, line{name: "backend", value: "NAME", text: appleContainer + ": run it in a Linux virtual machine " +
		"of its own (not tried on real hardware yet)"}, "", o.backend.set)
	addOnly(o, mac, line{name: "image", value: "IMAGE", text: "with it: the image that has COMMAND"}, "",
		launchflags.Once(&o.backend.image))
}
