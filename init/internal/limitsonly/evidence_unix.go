//go:build darwin || linux

package limitsonly

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// evidence compares the values that the helper read back of its own process, which becomes the server's, with those
// that follow from the policy. The helper's own request is no evidence.
func (s *server) evidence() (facts, error) {
	for _, l := range *newLimits(s.plan) {
		var own syscall.Rlimit
		if err := syscall.Getrlimit(l.resource, &own); err != nil {
			return nil, &order.Refusal{Layer: order.Limits, Op: "getrlimit", Path: l.name, Err: err}
		}
		if f := l.missed(s.proved[order.Limits], own.Max); f != nil {
			s.proved.add(order.Limits, *f)
		}
	}
	for _, d := range s.plan.demanded() {
		if !slices.ContainsFunc(s.proved[d.layer], func(f order.Fact) bool { return f.Name == d.fact }) {
			err := errors.New("nothing was read back")
			return nil, &order.Refusal{Layer: d.layer, Op: "prove", Path: d.fact, Err: err}
		}
	}
	session, err := unix.Getsid(s.pid)
	if err != nil {
		return nil, os.NewSyscallError("getsid", err)
	}
	s.proved.add(order.Limits,
		order.Fact{Name: "session of its own", Want: strconv.Itoa(s.pid), Got: strconv.Itoa(session)})
	s.proved.add(order.Limits, absentLimits(s.plan)...)
	return s.proved, nil
}

// A demand is the name of a fact that has to be there.
type demand struct {
	layer order.Layer
	fact  string
}

// demanded are the facts of the helper's steps, but for those of limits.
func (p *plan) demanded() []demand {
	all := []demand{{order.Descriptors, "descriptors"}}
	if p.policy.Umask != "" {
		all = append(all, demand{order.Descriptors, "umask"})
	}
	if p.user != ownIDs() {
		for _, fact := range [...]string{"ids", groupsFact, "setuid 0"} {
			all = append(all, demand{order.Privileges, fact})
		}
	}
	return all
}

// missed is the fact of a limit that was not set, or to another value, soft or hard; nil if all is well. The
// server's process inherited this process's hard limit. The number of the user's processes has changed since
// the helper counted them.
func (l *limit) missed(facts []order.Fact, hard uint64) *order.Fact {
	name, rlimit := l.clampTo(hard)
	want := rlimitText(rlimit)
	i := slices.IndexFunc(facts, func(f order.Fact) bool { return f.Name == name })
	if i < 0 {
		return &order.Fact{Name: l.name, Want: want, Got: "not set"}
	}
	set := facts[i].Want
	if set == want || l.resource == unix.RLIMIT_NPROC && !strings.Contains(set, " of ") {
		return nil
	}
	return &order.Fact{Name: l.name, Want: want, Got: set}
}

// kernel is the release of the kernel, as "24.5.0".
func kernel() string {
	var u unix.Utsname
	unix.Uname(&u) // EFAULT is the only error
	return unix.ByteSliceToString(u.Release[:])
}

// privateRequest asks for a private folder of a user's.
func privateRequest(user ids) privdir.Request {
	return privdir.Request{Folders: privateFolders(), UID: user.uid, GID: user.gid, Chown: user != ownIDs()}
}

// stateOwner is the server's user.
func (p *plan) stateOwner() state.Owner {
	return state.Owner{UID: p.user.uid, GID: p.user.gid, Chown: p.user != ownIDs()}
}

// privateFact reads back the access rights of the server's folders.
func (p *plan) privateFact() order.Fact {
	f := order.Fact{Name: "private folder", Want: "0700 of " + strconv.Itoa(p.user.uid)}
	for _, folder := range privateFolders() {
		var st unix.Stat_t
		if err := unix.Lstat(filepath.Join(p.private.Path, folder), &st); err != nil {
			return order.Fact{Name: f.Name, Want: f.Want, Reason: err.Error(), Effect: "there is none"}
		}
		f.Got = octal(uint64(st.Mode)&0o7777) + " of " + strconv.Itoa(int(st.Uid))
		if f.Got != f.Want {
			break
		}
	}
	return f
}
