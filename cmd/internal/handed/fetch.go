package handed

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// fetches is the notice of a server that is to be fetched without network, or the refusal of one that would hang. Only
// what cannot work is refused: nothing is installed where the program looks first, and no cache can be seen inside.
func fetches(o *order.Order, p *policy.Policy) (all []order.Notice, hangs string) {
	if p.Level == policy.LevelNetwork || p.Level == policy.Privileged || len(p.Network.AllowedDomains) > 0 {
		return nil, ""
	}
	f := fetchOf(o.Command)
	if f == nil || p.Subprocess.Allow == policy.No || !isFile(find(o.Command[0], o.Dir, order.Lookup(o.Env, "PATH"))) {
		return nil, "" // or refused for another reason
	}
	if f.offline || f.starts && installed(o, f.pkg) {
		return nil, ""
	}
	cached := seesCache(o, p)
	switch {
	case cached && f.prefers:
		return nil, ""
	case f.hangs && !f.prefers && !cached && !strings.Contains(f.pkg, ":") && noNetwork(p):
		return nil, notice.FetchHangs(base(o.Command[0]), string(p.Level))
	}
	return []order.Notice{{Kind: order.NoticeNetwork, Name: base(o.Command[0]), Flag: "--level network",
		Line: notice.Fetches(base(o.Command[0]))}}, ""
}

// noNetwork reports whether a server of that policy has no network, whatever the machine gives.
func noNetwork(p *policy.Policy) bool {
	return p.MinConfinement == policy.Full || p.MinConfinement == policy.Reduced
}

// installed reports whether npx would find the package without a look into the network: in node_modules of the working
// folder or of a folder above, or beside npx.
func installed(o *order.Order, pkg string) bool {
	pkg = unversioned(pkg)
	if pkg == "" {
		return false
	}
	for dir := o.Dir; ; dir = filepath.Dir(dir) {
		modules := filepath.Join(dir, "node_modules")
		if exists(filepath.Join(modules, ".bin", filepath.Base(pkg))) || exists(filepath.Join(modules, pkg)) {
			return true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	beside := filepath.Dir(find(o.Command[0], o.Dir, order.Lookup(o.Env, "PATH")))
	return exists(filepath.Join(beside, filepath.Base(pkg))) ||
		exists(filepath.Join(beside, "..", "lib", "node_modules", pkg))
}

func exists(at string) bool {
	_, err := os.Lstat(at)
	return err == nil
}

// seesCache reports whether the policy shows a cache that an earlier start may have filled, or the server's variables
// name one.
func seesCache(o *order.Order, p *policy.Policy) bool {
	fs := &p.Filesystem
	if fs.Default == policy.Read {
		return true
	}
	cache := filepath.Join(order.Lookup(o.Env, "HOME"), ".npm")
	for _, grant := range slices.Concat(fs.AllowRead, fs.AllowWrite) {
		grant = strings.TrimPrefix(grant, "-")
		if strings.HasPrefix(cache+"/", grant+"/") || strings.HasPrefix(grant+"/", cache+"/") {
			return true
		}
	}
	return slices.ContainsFunc(o.Env, func(entry string) bool {
		return strings.HasPrefix(strings.ToLower(entry), "npm_config_") || strings.HasPrefix(entry, "PNPM_HOME=")
	})
}
