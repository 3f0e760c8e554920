package resolve

import (
	"errors"
	"net/netip"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// A lookup is one question that is asked until a nameserver answers.
type lookup struct {
	resolver *Resolver
	query    Query
	waiting  []func(Answer)
	conf     conf      // that it began with
	first    int       // the nameserver to begin with
	end      time.Time // of all tries
	name     dnsmessage.Name
	hops     int // CNAMEs from the query's name to name
	tries    int // of name
	ttl      time.Duration
	last     error
	try      *try
}

var errChain = errors.New("too long a chain of CNAMEs")

func (l *lookup) start() {
	r := l.resolver
	l.conf = r.conf
	l.end = r.config.Now().Add(wholeLookup)
	l.ttl = -1
	if l.conf.rotate {
		l.first = r.turns
		r.turns++
	}
	l.ask(l.query.Name)
}

// ask begins with a name: the query's own, or the one that a chain of CNAMEs ended at.
func (l *lookup) ask(name string) {
	n, err := dnsmessage.NewName(name + ".")
	if err == nil {
		_, err = asked{name: n, kind: l.query.Type}.message(nil, true)
	}
	if err != nil || name == "" { // longer than a name or a label may be, or the root
		l.finish(Answer{Code: NoName})
		return
	}
	l.name, l.tries = n, 0
	l.next()
}

// next asks the next nameserver.
func (l *lookup) next() {
	for l.tries < l.conf.attempts*len(l.conf.servers) && l.resolver.config.Now().Before(l.end) {
		server := l.conf.servers[(l.first+l.tries)%len(l.conf.servers)]
		l.tries++
		at := netip.AddrPortFrom(server, l.resolver.config.Port)
		if l.begin(at, l.conf.tcp, true) {
			return
		}
	}
	if l.conf.usual && l.last != nil {
		l.last = &unnamed{l.last, l.resolver.files.resolv.lack()}
	}
	l.finish(Answer{Err: l.last})
}

// An unnamed error is that of a nameserver which no file names.
type unnamed struct {
	err error
	why string
}

func (u *unnamed) Error() string { return u.err.Error() + " (" + u.why + ")" }
func (u *unnamed) Unwrap() error { return u.err }

// begin makes a try; it reports whether one is under way.
func (l *lookup) begin(server netip.AddrPort, tcp, edns bool) bool {
	t, err := newTry(l, server, tcp, edns)
	if err != nil {
		l.last = &ServerError{server, err}
		return false
	}
	l.try = t
	return true
}

// failed ends a try without an answer.
func (l *lookup) failed(err error) {
	l.last = &ServerError{l.try.server, err}
	l.close()
	l.next()
}

// answered takes a nameserver's reply.
func (l *lookup) answered(r reply) {
	server, tcp := l.try.server, l.try.tcp
	unknown := r.code == dnsmessage.RCodeFormatError || r.code == dnsmessage.RCodeNotImplemented
	switch {
	case unknown && l.try.edns: // RFC 6891, section 7
		l.close()
		if !l.begin(server, tcp, false) {
			l.next()
		}
	case r.truncated && !tcp:
		edns := l.try.edns
		l.close()
		if !l.begin(server, true, edns) {
			l.next()
		}
	case r.code != dnsmessage.RCodeSuccess && r.code != dnsmessage.RCodeNameError:
		l.failed(says(r.code))
	case r.lame:
		l.failed(errors.New("answered with a referral"))
	default:
		l.close()
		l.useful(r)
	}
}

// useful takes an answer that another nameserver would give too.
func (l *lookup) useful(r reply) {
	if l.ttl < 0 || r.ttl < l.ttl {
		l.ttl = r.ttl
	}
	l.hops += r.hops
	a := Answer{Addresses: r.addresses, Targets: r.services, TTL: l.ttl}
	switch {
	case l.hops > mostHops:
		a = Answer{Err: errChain}
	case len(r.addresses)+len(r.services) > 0:
		a.Code = Found
	case r.code == dnsmessage.RCodeNameError:
		a.Code = NoName
	case r.hops > 0 && !r.denied:
		l.ask(r.target)
		return
	default:
		a.Code = NoData
	}
	l.finish(a)
}

func (l *lookup) finish(a Answer) {
	l.close()
	l.resolver.ended(l, a)
}

// close ends the try, if there is one.
func (l *lookup) close() {
	if t := l.try; t != nil {
		t.member.Remove()
		unix.Close(t.fd)
		l.try = nil
	}
}
