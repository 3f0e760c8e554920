package files

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A change is one of a policy.
type change struct {
	policy  policy.Policy
	flags   []string
	patch   []order.Patch
	at      []string // the paths that it is about
	removal bool     // no flag takes an entry out of a policy
	refused error    // of a policy that takes no such entry
}

// suggest adds to a denial the smallest change that allows the act. Where the planner refuses the only change there
// is, the text says so.
func (l *Launch) suggest(q *order.Question, v *verdict) {
	refused := ""
	for _, c := range l.changes(q, v) {
		c, after, err := l.try(c, q, v.path, 0)
		if err != nil && refused == "" {
			refused = err.Error()
		}
		if after == nil {
			continue
		}
		v.Patch = c.patch
		if !c.removal {
			v.Flags = c.flags
		}
		v.Opens = opens(l, after, &c)
		return
	}
	switch {
	case refused != "":
		v.Text += "; no launch would grant it: " + refused
	case strings.Contains(v.path, "/.."):
		v.Text += "; folders that the path goes through are not there either: ask about " + v.real
	}
}

// try plans the launch with a change, and with more grants where the change allows a script and not its interpreters,
// and in level standard where strict takes the write away that the change grants.
// The result is the change that allows the act, and nil if none does. denied is the path of the grant before.
func (l *Launch) try(c change, q *order.Question, denied string, depth int) (change, *Launch, error) {
	err := c.refused
	var after *Launch
	if err == nil {
		after, err = l.Replan(c.policy)
	}
	if err != nil {
		return c, nil, err
	}
	next := after.judge(q)
	if next.Allowed == order.ActAllowed {
		return c, after, nil
	}
	if next.cause.Kind == fsview.ByLevel && c.policy.Level == policy.Strict {
		return l.try(c.standard(), q, denied, depth)
	}
	if q.Op != order.OpExec || next.Reason != order.ByPolicy || next.path == denied || depth == maxScripts {
		return c, nil, nil
	}
	for _, more := range grants(l.Plan, c, wishOf(q), &next) {
		if all, granted, _ := l.try(more, q, next.path, depth+1); granted != nil {
			return all, granted, nil
		}
	}
	return c, nil, nil
}

// A wish is a list of the policy to which a grant is added.
type wish struct{ key, flag string }

func wishOf(q *order.Question) wish {
	switch {
	case q.Socket != "":
		return wish{"network.allowUnixSockets", "--allow-unix-socket"}
	case q.Op == order.OpWrite:
		return wish{"filesystem.allowWrite", "--allow-write"}
	}
	return wish{"filesystem.allowRead", "--allow-read"}
}

// changes are those that may allow an act, the smaller ones first.
func (l *Launch) changes(q *order.Question, v *verdict) []change {
	none, to := change{policy: l.Policy}, wishOf(q)
	granted := grants(l.Plan, none, to, v)
	started := none.set("subprocess.allow", []string{"--subprocess=true"}, "true", true)
	key, index, ok := entryAt(v.By)
	switch {
	case v.exec:
		return append([]change{started}, grants(l.Plan, started, to, v)...)
	case v.cause.Kind == fsview.ByLevel:
		return []change{none.standard()}
	case ok && strings.HasPrefix(key, "filesystem.deny"):
		without := none.without(key, index, v.cause.At)
		all := append([]change{without}, grants(l.Plan, without, to, v)...)
		if v.cause.At != v.real { // a grant below the denial wins
			all = append(granted, all...)
		}
		return all
	case q.Op == order.OpExec && l.Policy.Subprocess.Allow == policy.No:
		return append(granted, grants(l.Plan, started, to, v)...)
	}
	return granted
}

// names are the paths by which a denied path can be granted: as it was asked for, and as it resolves, but for the
// target of a link that a server may have made to a path that a launch would not offer either.
func names(plan *fsview.Explained, v *verdict, write bool) []string {
	all := []string{}
	if at := path.Clean(v.path); !strings.Contains(v.path, "..") {
		all = append(all, at)
	}
	real := v.real
	if !v.OnHost {
		real = dirOf(real)
	}
	_, err := fsview.OfferOf(plan, v.path, write)
	if !slices.Contains(all, real) && !errors.Is(err, fsview.ErrSettings) && !errors.Is(err, fsview.ErrLink) {
		all = append(all, real)
	}
	return all
}

// grants are c with grants of the path of a verdict.
func grants(plan *fsview.Explained, c change, to wish, v *verdict) (all []change) {
	for _, at := range names(plan, v, to.flag == fsview.OfferWrite) {
		with := c.with(at, []string{to.flag, at}, order.Patch{Op: "add", Path: pointer(to.key) + "/-", Value: at})
		with.refused = with.policy.Set(to.key, at)
		all = append(all, with)
	}
	return all
}

// standard is a change with the level that strict is not.
func (c change) standard() change {
	level := string(policy.Standard)
	return c.set("level", []string{"--level", level}, level, level)
}

// set changes another key than a list.
func (c change) set(key string, flags []string, text string, value any) change {
	c = c.with("", flags, order.Patch{Op: "add", Path: pointer(key), Value: value})
	_ = c.policy.Set(key, text) // the values are known
	return c
}

// with is a change with one more step.
func (c change) with(at string, flags []string, step order.Patch) change {
	c.flags, c.patch = slices.Concat(c.flags, flags), append(slices.Clone(c.patch), step)
	if at != "" {
		c.at = append(slices.Clone(c.at), at)
	}
	return c
}

// without removes an entry of a list.
func (c change) without(key string, index int, at string) change {
	fs := &c.policy.Filesystem
	list := &fs.DenyRead
	if key == "filesystem.denyWrite" {
		list = &fs.DenyWrite
	}
	*list = slices.Delete(slices.Clone(*list), index, index+1)
	c = c.with(at, nil, order.Patch{Op: "remove", Path: pointer(key) + "/" + strconv.Itoa(index)})
	c.removal = true
	return c
}

// pointer is the JSON pointer to a key of the policy.
func pointer(key string) string { return "/" + strings.ReplaceAll(key, ".", "/") }

// entryAt divides a pointer to an element of a list.
func entryAt(at string) (key string, index int, ok bool) {
	i := strings.LastIndexByte(at, '/')
	if i <= 0 {
		return "", 0, false
	}
	index, err := strconv.Atoi(at[i+1:])
	return strings.ReplaceAll(at[1:i], "/", "."), index, err == nil
}
