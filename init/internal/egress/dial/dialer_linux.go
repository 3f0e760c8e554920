package dial

import (
	"net/netip"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

const (
	whole       = 10 * time.Second       // of connecting, and once more of a proxy's answer
	nextAfter   = 250 * time.Millisecond // RFC 8305, section 8: Connection Attempt Delay
	mostRacing  = 8                      // sockets of one dial
	mostBesides = 64                     // sockets of all dials, besides one each

	resolutionDelay = 50 * time.Millisecond // RFC 8305, section 8
)

// A Resolver looks up the name of the proxy: a [resolve.Resolver].
type Resolver interface {
	Lookup(q resolve.Query, done func(resolve.Answer))
}

// Config is the settings that dials have in common. Proxy is by the launcher's environment alone, never by the
// server's. Resolver may be nil without a proxy, or with one that is an address.
type Config struct {
	Proxy    Proxy
	Resolver Resolver
	Now      func() time.Time // nil: time.Now
}

// A Dialer is of one thread, as its set is.
type Dialer struct {
	set    *loop.Set
	config Config
	dials  []*dial

	runners int // of all races
}

// New makes a dialer with sockets in the set.
func New(set *loop.Set, config Config) *Dialer {
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Dialer{set: set, config: config}
}

// Proxied reports whether the target is dialled by the proxy, so that its addresses are of no use.
func (d *Dialer) Proxied(t Target) bool { return d.config.Proxy.Uses(t.host(), t.Port) }

// Dial connects to the target. It calls done once, later or before it returns: with a connected non-blocking stream,
// which is then the caller's, or with an *Error. After cancel done is not called, and nothing stays open; once done
// was called cancel does nothing. The first byte that is read from the stream is the target's, with a proxy too.
func (d *Dialer) Dial(t Target, done func(fd int, err error)) (cancel func()) {
	a := &dial{dialer: d, target: t, done: done}
	a.end = d.config.Now().Add(whole)
	d.dials = append(d.dials, a)
	if d.Proxied(t) {
		a.byProxy()
	} else {
		a.race.start(a, interleave(t.Addresses, t.IPv4First))
	}
	return a.close
}

// Next is when Due has something to do; the zero time: never.
func (d *Dialer) Next() (at time.Time) {
	for _, a := range d.dials {
		for _, t := range [...]time.Time{a.end, a.race.next} {
			if !t.IsZero() && (at.IsZero() || t.Before(at)) {
				at = t
			}
		}
	}
	return at
}

// Due ends the dials that have no time left, and has others try one more address.
func (d *Dialer) Due(now time.Time) {
	for _, a := range slices.Clone(d.dials) {
		switch {
		case a.ended:
		case !now.Before(a.end):
			a.timeout()
		case !a.race.next.IsZero() && !now.Before(a.race.next):
			a.race.another()
		}
	}
}

// Close cancels all dials.
func (d *Dialer) Close() {
	for _, a := range slices.Clone(d.dials) {
		a.close()
	}
}

// interleave has IPv6 and IPv4 in turn; addresses of a family keep their order (RFC 8305, section 4).
func interleave(all []netip.AddrPort, fourFirst bool) []netip.AddrPort {
	var six, four, mixed []netip.AddrPort
	for _, a := range all {
		if a.Addr().Unmap().Is4() {
			four = append(four, a)
		} else {
			six = append(six, a)
		}
	}
	if fourFirst {
		six, four = four, six
	}
	for i := range max(len(six), len(four)) {
		mixed = append(mixed, six[min(i, len(six)):min(i+1, len(six))]...)
		mixed = append(mixed, four[min(i, len(four)):min(i+1, len(four))]...)
	}
	return mixed
}

// A dial is one that has not ended: a race of addresses, and with a proxy a conversation behind it.
type dial struct {
	dialer *Dialer
	target Target
	done   func(int, error)
	end    time.Time // of the stage
	proxy  string    // HOST:PORT if it goes by the proxy
	lookup *lookup   // of the proxy's name
	race   race
	talk   *talk
	ended  bool
}

// connected takes the winner of the race.
func (a *dial) connected(fd int) {
	if a.proxy != "" {
		a.converse(fd)
		return
	}
	a.finish(fd, nil)
}

func (a *dial) timeout() {
	switch {
	case a.talk != nil:
		a.fail(&Error{Step: "proxy's answer", Err: unix.ETIMEDOUT})
	case a.lookup != nil && !a.lookup.found:
		a.fail(&Error{Step: "look up", Err: unix.ETIMEDOUT})
	default:
		e := &Error{Step: "connect", Err: unix.ETIMEDOUT}
		if r := &a.race; len(r.runners) > 0 {
			e.Address = r.runners[0].to
		}
		a.fail(e)
	}
}

func (a *dial) fail(e *Error) {
	e.Proxy = a.proxy
	a.finish(-1, e)
}

func (a *dial) finish(fd int, err error) {
	if !a.ended {
		a.close()
		a.done(fd, err)
	}
}

// close gives everything back.
func (a *dial) close() {
	if a.ended {
		return
	}
	a.ended = true
	a.race.close()
	a.talk.close()
	a.dialer.dials = slices.DeleteFunc(a.dialer.dials, func(other *dial) bool { return other == a })
}
