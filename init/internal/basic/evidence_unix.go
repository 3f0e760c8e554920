//go:build darwin || linux

package basic

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

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
		if f := l.missed(limits.Facts); f != nil {
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
		all = append(all, need{order.Privileges, "ids"}, need{order.Privileges, "setuid 0"})
	}
	return all
}

// missed is the fact of a limit that was not set, or to another value; nil if all is well. An inherited limit is lower, and the
// user's processes have another number by now.
func (l *Limit) missed(facts []order.Fact) *order.Fact {
	want := strconv.FormatUint(l.Value, 10)
	for i := range facts {
		soft, _, _ := strings.Cut(facts[i].Want, " of ")
		if l.Resource != unix.RLIMIT_NPROC && facts[i].Name == l.Name && soft != want {
			return &order.Fact{Name: l.Name, Want: want, Got: soft}
		}
		if strings.HasPrefix(facts[i].Name, l.Name) {
			return nil
		}
	}
	return &order.Fact{Name: l.Name, Want: want, Got: "not set"}
}
