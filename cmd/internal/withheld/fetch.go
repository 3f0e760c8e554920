package withheld

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// fetches is the notice of a server that is to be fetched without network, or the refusal of one that would hang. Only
// what cannot work is refused: nothing is installed where the program looks first, and no cache can be seen inside.
func fetches(o *order.Order, p *policy.Policy) (all []order.Notice, hangs string) {
	if p.Level == policy.LevelNetwork || p.Level == policy.Privileged || len(p.Network.AllowedDomains) > 0 {
		return nil, ""
	}
	f := fetchOf(unwrapped(o.Command))
	if f == nil || p.Subprocess.Allow == policy.No {
		return nil, ""
	}
	program := find(f.program, o.Dir, order.Lookup(o.Env, "PATH"))
	if !isFile(program) || f.offline || isOffline(o.Env) {
		return nil, "" // or refused for another reason
	}
	at := ""
	if f.starts {
		at = installed(platform.Resolved(o.Dir), program, f.pkg)
	}
	cached := seesCache(o, p)
	hosts, remote := hostsOf(f.pkg)
	hosts = append(strings.Fields(runtimes.Hosts(f.name)), hosts...)
	flags := "--allow-domain " + strings.Join(hosts, " --allow-domain ")
	switch {
	case at != "" && (at == filepath.Dir(program) || sees(p, at)), cached && f.prefers:
		return nil, ""
	case f.hangs && !f.prefers && !cached && at == "" && remote && noNetwork(p):
		return nil, notice.FetchHangs(f.name, flags)
	}
	return []order.Notice{{Kind: order.NoticeNetwork, Name: f.name, Flag: flags,
		Line: notice.Fetches(f.name, flags)}}, ""
}

// mostWrapped is how many programs in front of a command are looked through.
const mostWrapped = 4

// unwrapped is the command behind those that start it, as far as it is sure to start in the same environment.
func unwrapped(command []string) []string {
	for range mostWrapped {
		inner, sets := startline.Unwrap(command)
		if inner == nil || sets || startline.Program(command[0]) == "cmd" {
			break
		}
		command = inner
	}
	return command
}

// hostsOf are the hosts besides the registry's from which npm fetches what a word names; remote is false where it is a
// file, or one that no flag opens.
func hostsOf(pkg string) (hosts []string, remote bool) {
	if i := strings.LastIndexByte(pkg, '@'); i > 0 && !strings.Contains(pkg[:i], ":") {
		pkg = pkg[i+1:] // of NAME@URL
	}
	scheme, rest, found := strings.Cut(pkg, ":")
	switch {
	case found && strings.HasPrefix(rest, "//") && scheme != "file":
		host, _, _ := strings.Cut(rest[2:], "/")
		host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
		if _, err := policy.ParseDomain(host); err != nil || strings.Contains(host, "*") {
			return nil, false
		}
		return withArchives(host), true
	case found:
		known := map[string]string{"npm": "", "github": "github.com", "gitlab": "gitlab.com",
			"bitbucket": "bitbucket.org", "gist": "gist.github.com"}
		host, is := known[scheme]
		return withArchives(host), is
	case strings.Count(pkg, "/") == 1 && pkg[0] != '@': // OWNER/NAME
		return withArchives("github.com"), true
	}
	return nil, true
}

// withArchives are a host and the one that has its archives.
func withArchives(host string) []string {
	switch host {
	case "":
		return nil
	case "github.com":
		return []string{host, "codeload.github.com"}
	}
	return []string{host}
}

// isOffline reports whether a variable of the server says that nothing is to be fetched.
func isOffline(env []string) bool {
	return slices.ContainsFunc(env, func(entry string) bool {
		entry = strings.ToLower(entry)
		return entry == "npm_config_offline=true" || entry == "uv_offline=1" || entry == "uv_offline=true"
	})
}

// noNetwork reports whether a server of that policy has no network, whatever the machine gives.
func noNetwork(p *policy.Policy) bool {
	return p.MinConfinement == policy.Full || p.MinConfinement == policy.Reduced
}

// installed is the folder in which npx would find the package without a look into the network: in node_modules of the
// working folder or of a folder above, or beside npx. "" is none.
func installed(dir, program, pkg string) string {
	pkg = unversioned(pkg)
	if modules := InProject(dir, pkg); modules != "" || pkg == "" {
		return modules
	}
	beside := filepath.Dir(program)
	modules := filepath.Join(beside, "..", "lib", "node_modules")
	if exists(filepath.Join(beside, filepath.Base(pkg))) || exists(filepath.Join(modules, pkg)) {
		return beside
	}
	return ""
}

// InProject is the node_modules of a folder, or of one above, that has a package of that name. "" is none.
func InProject(dir, pkg string) string {
	if pkg == "" {
		return ""
	}
	for ; ; dir = filepath.Dir(dir) {
		modules := filepath.Join(dir, "node_modules")
		if exists(filepath.Join(modules, ".bin", filepath.Base(pkg))) || exists(filepath.Join(modules, pkg)) {
			return modules
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func exists(at string) bool {
	_, err := os.Lstat(at)
	return err == nil
}

// seesCache reports whether the policy shows a cache that an earlier start may have filled, or the server's variables
// name one. A home that lasts is a cache.
func seesCache(o *order.Order, p *policy.Policy) bool {
	home := order.Lookup(o.Env, "HOME")
	return p.State != "" || meets(p, filepath.Join(home, ".npm")) || meets(p, filepath.Join(home, ".cache")) ||
		meets(p, filepath.Join(home, ".local", "share")) || slices.ContainsFunc(o.Env, func(entry string) bool {
		return strings.HasPrefix(strings.ToLower(entry), "npm_config_") || strings.HasPrefix(entry, "PNPM_HOME=")
	})
}

// meets reports whether a grant holds a folder, or a part of that folder.
func meets(p *policy.Policy, folder string) bool {
	return granted(p, func(grant string) bool {
		return platform.Within(folder, grant) || platform.Within(grant, folder)
	})
}

// sees reports whether a grant holds a folder, as both are written or as they are resolved.
func sees(p *policy.Policy, folder string) bool {
	return granted(p, func(grant string) bool {
		return platform.Within(folder, grant) ||
			platform.Within(platform.Resolved(folder), platform.Resolved(filepath.Clean(grant)))
	})
}

func granted(p *policy.Policy, is func(grant string) bool) bool {
	fs := &p.Filesystem
	return fs.Default == policy.Read || slices.ContainsFunc(slices.Concat(fs.AllowRead, fs.AllowWrite),
		func(grant string) bool { return is(strings.TrimPrefix(grant, "-")) })
}

// find is the file of a command, or the command itself.
func find(command, dir, paths string) string {
	switch {
	case filepath.IsAbs(command):
		return command
	case strings.ContainsRune(command, os.PathSeparator):
		return filepath.Join(dir, command)
	}
	for _, folder := range filepath.SplitList(paths) {
		if at := filepath.Join(folder, command); filepath.IsAbs(folder) && isFile(at) {
			return at
		}
	}
	return command
}

func isFile(at string) bool {
	info, err := os.Stat(at)
	return err == nil && info.Mode().IsRegular()
}
