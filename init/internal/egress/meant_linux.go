package egress

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// This file: names that mean another one on this machine.

// So many names are looked for at once, and one more after each interval.
const (
	meantAtOnce   = 64
	meantInterval = 50 * time.Millisecond
)

// errSearched is said of an allowed name that no nameserver knows, and that this machine's own programs complete.
var errSearched = errors.New("no such name: search lists are not used, so allow, and ask for, the full name")

// meant is the name that a server has to ask for instead, since no entry for the one that it asked for would help:
// localhost for a name that the hosts file gives to this machine, or the name that a search list makes of one without a
// dot, if that is allowed. "" is none, or that the server asks too fast: a large hosts file takes milliseconds.
func (e *Engine) meant(name string) string {
	if !e.lookups.meants.Take(time.Now(), meantInterval, meantAtOnce) {
		return ""
	}
	r := e.lookups.resolver
	if found := r.InHosts(name); len(found) > 0 {
		e.host.look()
		other := func(a netip.Addr) bool { return !a.IsLoopback() && !slices.Contains(e.host.own, a) }
		if slices.ContainsFunc(found, other) || name == "localhost" {
			return ""
		}
		return "localhost"
	}
	if strings.Contains(name, ".") {
		return ""
	}
	for _, domain := range r.Search() {
		if full, ok := e.rules.Canonical(name + "." + domain); ok && e.rules.Name(full).Allowed {
			return full
		}
	}
	return ""
}

// missing tells of an allowed name that does not exist, where only a search list would have made one of it.
func (q *questions) missing(name string) {
	if e := q.engine; !strings.Contains(name, ".") && len(e.lookups.resolver.Search()) > 0 {
		e.denials.upstream(target{name, 0}, errSearched)
	}
}
