package egress

import (
	"net/netip"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dns"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/net/dns/dnsmessage"
)

// mostTTL is how long the server may keep an answer. Its addresses stay the name's, so an old answer harms nothing.
const mostTTL = 60 * time.Second

// answer decides the answer to a question of the server. done is called once, perhaps at once.
func (q *questions) answer(asked *dns.Question, done func(dns.Answer)) {
	e := q.engine
	if asked.Type == dnsmessage.TypePTR {
		done(q.pointer(asked))
		return
	}
	name, ok := e.rules.Canonical(asked.Name)
	if !ok {
		done(dns.Answer{Code: dnsmessage.RCodeNameError})
		return
	}
	host, service := hostOf(name)
	service = service && asked.Type == dnsmessage.TypeSRV
	if !service {
		host = name
	}
	allowed := e.rules.Name(host)
	star := allowed.Star
	if service && star == "" { // the server chooses its first labels, as it does below a star
		star = host
	}
	address := asked.Type == dnsmessage.TypeA || asked.Type == dnsmessage.TypeAAAA
	switch {
	case !allowed.Allowed:
		if !searched(e, host) {
			e.denials.name(host, e.meant(host))
		}
		done(dns.Answer{Code: dnsmessage.RCodeNameError, Blocked: true})
	case !service && !address: // the name may exist, and has no such record
		done(dns.Answer{})
	case star != "" && !e.table.Known(name) && !e.table.Star(star, time.Now()):
		e.denials.limit(limitNames)
		done(dns.Answer{Code: dnsmessage.RCodeServerFailure})
	case service:
		q.services(name, done)
	default:
		q.addresses(name, asked.Type, done)
	}
}

// hostOf is the name of a service without its two first labels, _service._protocol: RFC 2782. ok is false for other
// names.
func hostOf(name string) (host string, ok bool) {
	service, rest, _ := strings.Cut(name, ".")
	protocol, host, _ := strings.Cut(rest, ".")
	ok = len(service) > 1 && service[0] == '_' && len(protocol) > 1 && protocol[0] == '_'
	return host, ok && !strings.HasPrefix(host, "_")
}

// pointer is the name that has an address as its handle; RFC 1035, 3.5.
func (q *questions) pointer(asked *dns.Question) dns.Answer {
	e := q.engine
	if a, ok := dns.ReverseName(asked.Name); ok {
		if name, ok := e.table.NameOf(a); ok {
			return dns.Answer{Name: name, TTL: seconds(mostTTL)}
		}
	}
	return dns.Answer{Code: dnsmessage.RCodeNameError}
}

// addresses answers with the handle of a name that exists.
func (q *questions) addresses(name string, kind dnsmessage.Type, done func(dns.Answer)) {
	e := q.engine
	v6 := kind == dnsmessage.TypeAAAA
	if e.accepter.byProxy(name) { // perhaps the proxy alone can resolve the name
		if v6 {
			done(dns.Answer{})
			return
		}
		done(q.handle(name, v6, nil, mostTTL))
		return
	}
	if v6 && !e.host.hasIPv6() {
		done(dns.Answer{})
		return
	}
	e.lookups.get(resolve.Query{Name: name, Type: kind}, func(a resolve.Answer) {
		switch a.Code {
		case resolve.NoName:
			q.missing(name)
			done(dns.Answer{Code: dnsmessage.RCodeNameError})
		case resolve.Failed:
			q.failed(name, kind, a.Err)
			done(dns.Answer{Code: dnsmessage.RCodeServerFailure})
		case resolve.NoData:
			done(dns.Answer{})
		default:
			good, bad := e.host.vetted(a.Addresses, 0, e.rules)
			if len(good) == 0 {
				e.denials.private(name, bad)
				done(dns.Answer{})
				return
			}
			done(q.handle(name, v6, good, a.TTL))
		}
	})
}

// failed reports that the addresses of one family could not be looked up, if the other family has none: a nameserver
// that refuses AAAA takes no host away that has an A.
func (q *questions) failed(name string, kind dnsmessage.Type, err error) {
	e, other := q.engine, dnsmessage.TypeA
	if kind == other {
		other = dnsmessage.TypeAAAA
	}
	if other == dnsmessage.TypeAAAA && !e.host.hasIPv6() {
		e.denials.upstream(target{name, 0}, err)
		return
	}
	e.lookups.get(resolve.Query{Name: name, Type: other}, func(a resolve.Answer) {
		if a.Code != resolve.Found {
			e.denials.upstream(target{name, 0}, err)
		}
	})
}

func (q *questions) handle(name string, v6 bool, good []netip.Addr, ttl time.Duration) dns.Answer {
	e := q.engine
	a, err := e.table.Handle(name, v6, good)
	if err != nil {
		e.denials.limit(limitNames)
		return dns.Answer{Code: dnsmessage.RCodeServerFailure}
	}
	return dns.Answer{Addresses: []netip.Addr{a}, TTL: seconds(ttl)}
}

func seconds(ttl time.Duration) uint32 {
	return uint32(min(max(ttl, time.Second), mostTTL) / time.Second)
}

// services answers with the targets of a service that are allowed: MongoDB's and XMPP's way to name their hosts.
func (q *questions) services(name string, done func(dns.Answer)) {
	e := q.engine
	e.lookups.get(resolve.Query{Name: name, Type: dnsmessage.TypeSRV}, func(a resolve.Answer) {
		switch a.Code {
		case resolve.NoName:
			done(dns.Answer{Code: dnsmessage.RCodeNameError})
		case resolve.Failed:
			e.denials.upstream(target{name, 0}, a.Err)
			done(dns.Answer{Code: dnsmessage.RCodeServerFailure})
		default:
			found := dns.Answer{TTL: seconds(a.TTL)}
			for _, t := range a.Targets {
				host, ok := e.rules.Canonical(t.Target)
				switch {
				case !ok:
				case !e.rules.Name(host).Allowed:
					e.denials.name(host, e.meant(host))
				default:
					found.Targets = append(found.Targets, dns.SRV(t))
				}
			}
			done(found)
		}
	})
}

// name tells of a name that no entry allows, and of the one that was meant, or "".
func (t *denials) name(name, meant string) {
	d := &order.Denied{Act: order.Act{Kind: order.DeniedName, Host: name}}
	if t.rules.Name(name).Reason != match.Denied {
		if d.Asked = meant; meant == "" {
			d.Flag = d.Suggest()
		}
	}
	t.tell(d)
}
