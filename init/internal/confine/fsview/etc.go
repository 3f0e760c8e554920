package fsview

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// inEtc reports whether a name in /etc is shown: libraries, certificates, time, names of services, fonts. Nothing
// that names users, hosts or secrets of this machine.
func inEtc(name string) bool {
	switch name {
	case "ssl", "pki", "ca-certificates", "crypto-policies", "localtime", "timezone", "nsswitch.conf", "alternatives",
		"services", "protocols", "mime.types", "gitconfig", "fonts", "os-release", "static", "profiles":
		return true
	}
	return len(name) > 6 && name[:6] == "ld.so." || len(name) > 5 && name[:5] == "java-"
}

const hostsFile = "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"

const resolvPath = "/etc/resolv.conf"

// resolvFile names the sandbox's own address, layers.EgressIPv4: the launcher answers questions there, or nothing does.
const resolvFile = "nameserver 198.18.0.1\n"

// hostsWith is the same with this machine's name, on an address that no other name has.
func hostsWith(machine string) string {
	if machine == "localhost" || !machineName(machine) {
		return hostsFile
	}
	return hostsFile + "127.0.1.1\t" + machine + "\n"
}

// machineName reports whether a name can stand in hosts(5); sethostname(2) takes any bytes.
func machineName(s string) bool {
	const letters, others = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789-."
	return s != "" && len(s) <= 64 && !strings.ContainsAny(s[:1], others) && strings.Trim(s, letters+others) == ""
}

// userName is the name that the server's id gets in the generated passwd: USER or LOGNAME of its environment, if it
// is a safe passwd name and not root or nobody.
func userName(env []string) string {
	for _, key := range [...]string{"USER", "LOGNAME"} {
		if name := order.Lookup(env, key); plainName(name) && name != "root" && name != "nobody" {
			return name
		}
	}
	return "user"
}

func plainName(s string) bool {
	const first, later = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", "0123456789-."
	return s != "" && len(s) <= 32 && !strings.ContainsAny(s[:1], later) && strings.Trim(s, first+later) == ""
}

func passwd(name, uid, gid, home string) string {
	if strings.ContainsFunc(home, func(c rune) bool { return c == ':' || c < ' ' }) {
		home = "/"
	}
	s := name + ":x:" + uid + ":" + gid + "::" + home + ":/bin/sh\n"
	if uid != "65534" {
		s += "nobody:x:65534:65534:nobody:/:/bin/false\n"
	}
	return s
}

func group(name, gid string) string {
	s := name + ":x:" + gid + ":\n"
	if gid != "65534" {
		s += "nogroup:x:65534:\n"
	}
	return s
}
