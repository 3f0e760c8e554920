package explain

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A pathRule is one entry of the section filesystem.
type pathRule struct {
	path    string
	pointer string
	grants  bool
	write   bool // allowWrite, denyWrite
	maybe   bool // the path may be missing
}

// A decision is the result of the entries of one path, for reading or for writing.
type decision struct {
	grant  *pathRule // the first; nil for none
	denied bool
}

// pathRules are all entries about files, as policy.Decide weighs them.
type pathRules struct {
	all         []pathRule
	read, write map[string]decision // by path
}

// rulesOf reads the entries. In level strict nothing is written. Where the policy names a confinement that cannot hold
// a denial no denial counts.
func rulesOf(t *teller) *pathRules {
	f := &t.p.Filesystem
	r := &pathRules{read: map[string]decision{}, write: map[string]decision{}}
	if f.Default == policy.Read {
		r.all = append(r.all, pathRule{path: "/", pointer: "/filesystem/default", grants: true})
	}
	for _, list := range [...]struct {
		key           string
		paths         []string
		grants, write bool
	}{
		{"allowRead", f.AllowRead, true, false}, {"allowWrite", f.AllowWrite, true, t.p.Level != policy.Strict},
		{"denyRead", f.DenyRead, false, false}, {"denyWrite", f.DenyWrite, false, true},
	} {
		for i, p := range list.paths {
			p, maybe := strings.CutPrefix(p, "-")
			r.all = append(r.all, pathRule{p, item("/filesystem/"+list.key, i), list.grants, list.write, maybe})
		}
	}
	for i := range r.all {
		rule := &r.all[i]
		if !rule.grants && t.denialsMayFail() {
			continue
		}
		if rule.grants || !rule.write {
			rule.decides(r.read)
		}
		// A denial of a path that may be missing at launch does not keep the server from making the path.
		if rule.grants && rule.write || !rule.grants && !rule.maybe {
			rule.decides(r.write)
		}
	}
	return r
}

// denialsMayFail reports whether the server starts also where a denial cannot be held.
func (t *teller) denialsMayFail() bool {
	return t.given.MinConfinement != "" && t.given.MinConfinement != policy.Full
}

func (r *pathRule) decides(by map[string]decision) {
	d := by[r.path]
	if !r.grants {
		d.denied = true
	} else if d.grant == nil {
		d.grant = r
	}
	by[r.path] = d
}

// reader is the entry that lets the server read a path, or nil.
func (r *pathRules) reader(path string) *pathRule { return r.winner(r.read, path) }

// writer is the entry that lets the server write a path, or nil.
func (r *pathRules) writer(path string) *pathRule { return r.winner(r.write, path) }

// winner is the grant that decides about a path, or nil.
func (r *pathRules) winner(by map[string]decision, path string) *pathRule {
	at, granted := policy.Decide(path, func(at string) (grants, denies bool) {
		d := by[at]
		return d.grant != nil, d.denied
	})
	if !granted {
		return nil
	}
	return by[at].grant
}
