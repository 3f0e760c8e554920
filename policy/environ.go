package policy

import (
	"runtime"
	"slices"
	"strings"
)

// Environ is the server's environment: of host what is forwarded, then the policy's literal variables, then
// extra, which is the launcher's own. All are NAME=VALUE; the last of one name wins, and each name comes out
// once. On Windows "Path" and "PATH" are one name.
//
// dropped are the sorted names in host that the server does not have. Entries of host without a name, without
// "=" or with a NUL, as Windows and careless callers have them, are neither forwarded nor named.
func (p Policy) Environ(host []string, extra ...string) (env, dropped []string) {
	return p.environ(runtime.GOOS, host, extra...)
}

func (p Policy) environ(system string, host []string, extra ...string) (env, dropped []string) {
	one := oneName(system)
	key := func(entry string) string {
		name, _, _ := strings.Cut(entry, "=")
		return one(name)
	}
	own := make([]string, 0, len(p.Env)+len(extra))
	for _, v := range p.Env {
		own = append(own, v.Name+"="+v.Value)
	}
	own = append(own, extra...)
	own = lastOf(slices.DeleteFunc(own, func(v string) bool { return !strings.Contains(v, "=") }), key)
	given, named := make(map[string]bool, len(own)), forwardedBy(p.EnvVars, one)
	for _, entry := range own {
		given[key(entry)] = true
	}

	env = make([]string, 0, 16+len(own)) // never nil, which os/exec takes for the host's own
	for _, entry := range host {
		name, ok := nameOf(entry)
		switch {
		case !ok || given[one(name)]:
		case named.have(one(name)) || p.forwards(name, system):
			env = append(env, entry)
		default:
			dropped = append(dropped, name)
		}
	}
	slices.Sort(dropped)
	return append(lastOf(env, key), own...), slices.Compact(dropped)
}

// oneName is what names of variables that a system takes for the same have in common: as strings.EqualFold compares, on
// Windows.
func oneName(system string) func(string) string {
	if system == "windows" {
		return func(s string) string { return strings.ToLower(strings.ToUpper(s)) } // some letters have two small forms
	}
	return func(s string) string { return s }
}

// forwarded are the names of EnvVars and the beginnings of those that its patterns stand for.
type forwarded struct {
	names    map[string]bool
	prefixes []string
}

// forwardedBy are those of a list, each as one gives it.
func forwardedBy(envVars []string, one func(string) string) forwarded {
	f := forwarded{names: make(map[string]bool, len(envVars))}
	for _, s := range envVars {
		if prefix, pattern := strings.CutSuffix(s, anyName); pattern {
			f.prefixes = append(f.prefixes, one(prefix+"_"))
		} else {
			f.names[one(s)] = true
		}
	}
	return f
}

func (f *forwarded) have(name string) bool {
	return f.names[name] || slices.ContainsFunc(f.prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Unset are the names and patterns of EnvVars for which host has no variable.
func (p Policy) Unset(host []string) []string { return unset(p.EnvVars, runtime.GOOS, host) }

func unset(envVars []string, system string, host []string) (all []string) {
	one, set := oneName(system), make(map[string]bool, len(host))
	for _, entry := range host {
		if name, ok := nameOf(entry); ok {
			set[one(name)] = true
		}
	}
	for _, s := range envVars {
		prefix, pattern := strings.CutSuffix(one(s), anyName)
		found := set[prefix] && !pattern
		for name := range set {
			if !pattern || found {
				break
			}
			found = strings.HasPrefix(name, prefix+"_")
		}
		if !found {
			all = append(all, s)
		}
	}
	return all
}

// forwards reports whether a variable of the launcher is the server's too, though the policy does not name it.
func (p *Policy) forwards(name, system string) bool {
	if system == "windows" {
		if name = strings.ToUpper(name); windowsNeeds(name) {
			return true
		}
	}
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
	return strings.HasPrefix(name, "LC_")
}

// windowsNeeds are the variables without which programs do not start on Windows, or not the right ones: the MCP
// SDKs pass these there too. Those that name folders of the user are replaced by the launcher.
func windowsNeeds(name string) bool {
	switch name {
	case "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "NUMBER_OF_PROCESSORS",
		"PROCESSOR_ARCHITECTURE",
		"PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "PROGRAMDATA",
		"COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)",
		"USERNAME", "USERDOMAIN", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP":
		return true
	}
	return false
}

func nameOf(entry string) (name string, ok bool) {
	name, _, ok = strings.Cut(entry, "=")
	return name, ok && name != "" && strings.IndexByte(entry, 0) < 0
}

// lastOf keeps the last entry of each name, in the order of these, and in the list's own array.
func lastOf[T any](list []T, name func(T) string) []T {
	last := make(map[string]int, len(list))
	for i, entry := range list {
		last[name(entry)] = i
	}
	kept := list[:0]
	for i, entry := range list {
		if last[name(entry)] == i {
			kept = append(kept, entry)
		}
	}
	return kept
}
