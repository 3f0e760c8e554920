package policy

import (
	"slices"
	"strings"
)

// Environ is the server's environment: of host what is forwarded, then the policy's literal variables, then extra, which
// is the launcher's own. All are NAME=VALUE; the last of one name wins, and each name comes out once.
//
// dropped are the sorted names in host that the server does not have. Entries of host without a name, without "=" or with
// a NUL, as Windows and careless callers have them, are neither forwarded nor named.
func (p Policy) Environ(host []string, extra ...string) (env, dropped []string) {
	own := make([]string, 0, len(p.Env)+len(extra))
	for _, v := range p.Env {
		own = append(own, v.Name+"="+v.Value)
	}
	own = lastOf(append(own, extra...))

	env = make([]string, 0, 16+len(own)) // never nil, which os/exec takes for the host's own
	for _, entry := range host {
		name, ok := nameOf(entry)
		switch {
		case !ok || has(own, name):
		case p.forwards(name):
			env = append(env, entry)
		default:
			dropped = append(dropped, name)
		}
	}
	slices.Sort(dropped)
	return append(lastOf(env), own...), slices.Compact(dropped)
}

// forwards reports whether a variable of the launcher is the server's too.
func (p *Policy) forwards(name string) bool {
	switch name {
	case "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TZ",
		"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE":
		return true
	case "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
		"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy":
		if p.Level == LevelNetwork {
			return true
		}
	}
	return strings.HasPrefix(name, "LC_") || slices.Contains(p.EnvVars, name)
}

func nameOf(entry string) (name string, ok bool) {
	name, _, ok = strings.Cut(entry, "=")
	return name, ok && name != "" && strings.IndexByte(entry, 0) < 0
}

// has reports whether a list of NAME=VALUE has the name.
func has(env []string, name string) bool {
	for _, e := range env {
		if len(e) > len(name) && e[len(name)] == '=' && e[:len(name)] == name {
			return true
		}
	}
	return false
}

// lastOf keeps the last entry of each name, in the order of these.
func lastOf(env []string) []string {
	kept := env[:0]
	for i, entry := range env {
		if name, _, ok := strings.Cut(entry, "="); ok && !has(env[i+1:], name) {
			kept = append(kept, entry)
		}
	}
	return kept
}
