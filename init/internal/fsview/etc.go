package fsview

import "strings"

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

// userName is the name that the server's id gets in the generated passwd: USER or LOGNAME of its environment, if it
// is a safe passwd name and not root or nobody.
func userName(env []string) string {
	for _, key := range [...]string{"USER", "LOGNAME"} {
		if name := lookup(env, key); plainName(name) && name != "root" && name != "nobody" {
			return name
		}
	}
	return "user"
}

func plainName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		first := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		later := c >= '0' && c <= '9' || c == '-' || c == '.'
		if !first && (i == 0 || !later) {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 32
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

// lookup is the value of the last NAME=VALUE in env, as getenv of a shell would have it; "" where there is none.
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if n, value, ok := strings.Cut(env[i], "="); ok && n == name {
			return value
		}
	}
	return ""
}
