//go:build darwin || linux

package basic

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// evidence is what the helper read back of its own process, which becomes the server's, against what follows from the policy:
// not against what it was told, which may be another thing.
func (s *server) evidence() (map[order.Layer]*order.LayerReport, error) {
	want, err := newHold(s.plan)
	if err != nil {
		return nil, err
	}
	limits := s.proved[order.Limits]
	for i := range want.Limits {
		l := &want.Limits[i]
		var own syscall.Rlimit
		if err := syscall.Getrlimit(l.Resource, &own); err != nil {
			return nil, &order.Refusal{Layer: order.Limits, Op: "getrlimit", Path: l.Name, Err: err}
		}
		if f := l.missed(limits.Facts, own.Max); f != nil {
			limits.Facts = append(limits.Facts, *f)
		}
	}
	for _, n := range s.needed() {
		l := s.proved[n.layer]
		if l == nil || !slices.ContainsFunc(l.Facts, func(f order.Fact) bool { return f.Name == n.name }) {
			return nil, &order.Refusal{Layer: n.layer, Op: "prove", Path: n.name, Err: errUntold}
		}
	}
	sid, err := sessionOf(s.pid)
	if err != nil {
		return nil, err
	}
	limits.Facts = append(append(limits.Facts, order.Fact{Name: "session of its own", Want: strconv.Itoa(s.pid), Got: strconv.Itoa(sid)}), absent(s.plan)...)
	return s.proved, nil
}

var errUntold = errors.New("nothing was read back")

// A need is a fact that has to be there.
type need struct {
	layer order.Layer
	name  string
}

// needed are those of the steps beside the limits.
func (s *server) needed() []need {
	all := []need{{order.Descriptors, "descriptors"}}
	if s.plan.umask != "" {
		all = append(all, need{order.Descriptors, "umask"})
	}
	if u := s.plan.user; u.uid != os.Getuid() || u.gid != os.Getgid() {
		all = append(all, need{order.Privileges, "ids"}, need{order.Privileges, groupsFact}, need{order.Privileges, "setuid 0"})
	}
	return all
}

// missed is the fact of a limit that was not set, or to another value, soft or hard; nil if all is well. The hard limit that the
// server's process inherited is this process's own. The user's processes have another number by now.
func (l *Limit) missed(facts []order.Fact, hard uint64) *order.Fact {
	name, limit := l.under(hard)
	want := text(limit)
	for i := range facts {
		told := facts[i].Want
		switch {
		case facts[i].Name != name:
		case l.Resource == unix.RLIMIT_NPROC && !strings.Contains(told, " of "), told == want:
			return nil
		default:
			return &order.Fact{Name: l.Name, Want: want, Got: told}
		}
	}
	return &order.Fact{Name: l.Name, Want: want, Got: "not set"}
}
