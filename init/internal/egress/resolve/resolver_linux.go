package resolve

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

const (
	mostLive    = 64   // lookups side by side
	mostQueued  = 1024 // lookups that wait for one of those to end
	mostWaiting = 4096 // callers of one lookup
	wholeLookup = 30 * time.Second
	hostsTTL    = lookEvery // a change of the file is seen after that
)

// A Resolver is of one thread, as its set is.
type Resolver struct {
	set     *loop.Set
	config  Config
	files   struct{ hosts, resolv file }
	hosts   hosts
	conf    conf
	lookups map[Query]*lookup
	live    []*lookup
	queue   []*lookup
	turns   int    // for rotate
	pumping bool   // the queue is being emptied: once is enough
	packet  []byte // made for the first lookup: most launches have none
}

// New makes a resolver with sockets in the set. Nothing is read or opened before the first lookup.
func New(set *loop.Set, config Config) *Resolver {
	if config.Hosts == "" {
		config.Hosts = "/etc/hosts"
	}
	if config.Resolv == "" {
		config.Resolv = "/etc/resolv.conf"
	}
	if config.Port == 0 {
		config.Port = 53
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	r := &Resolver{set: set, config: config, lookups: map[Query]*lookup{}}
	r.files.hosts.path, r.files.resolv.path = config.Hosts, config.Resolv
	return r
}

var (
	errBusy = errors.New("too many lookups at once")
	errType = errors.New("only A, AAAA and SRV records are looked up")
)

func (r *Resolver) buffer() []byte {
	if r.packet == nil {
		r.packet = make([]byte, 4096)
	}
	return r.packet
}

// Lookup calls done once, at once or later. Lookups of the same question at the same time are one for the nameservers.
func (r *Resolver) Lookup(q Query, done func(Answer)) {
	if q.Type != dnsmessage.TypeA && q.Type != dnsmessage.TypeAAAA && q.Type != dnsmessage.TypeSRV {
		done(Answer{Err: errType})
		return
	}
	r.reread()
	if a, ok := r.inHosts(q); ok {
		done(a)
		return
	}
	if l := r.lookups[q]; l != nil {
		if len(l.waiting) == mostWaiting {
			done(Answer{Err: errBusy})
			return
		}
		l.waiting = append(l.waiting, done)
		return
	}
	if len(r.live) >= mostLive && len(r.queue) >= mostQueued {
		done(Answer{Err: errBusy})
		return
	}
	l := &lookup{resolver: r, query: q, waiting: []func(Answer){done}}
	r.lookups[q] = l
	r.queue = append(r.queue, l)
	r.pump()
}

// Next is when Due has something to do; the zero time: never.
func (r *Resolver) Next() (at time.Time) {
	for _, l := range r.live {
		if l.try != nil && (at.IsZero() || l.try.at.Before(at)) {
			at = l.try.at
		}
	}
	return at
}

// Due gives up the tries that have no time left.
func (r *Resolver) Due(now time.Time) {
	for _, l := range slices.Clone(r.live) {
		if l.try != nil && !now.Before(l.try.at) {
			l.failed(unix.ETIMEDOUT)
		}
	}
}

// Close ends all lookups. Their callers are not called.
func (r *Resolver) Close() {
	for _, l := range r.live {
		l.close()
	}
	r.live, r.queue = nil, nil
	clear(r.lookups)
}

// reread reads the two files again if they have changed.
func (r *Resolver) reread() {
	now := r.config.Now()
	if text, changed := r.files.hosts.read(now); changed {
		r.hosts = hosts(strings.ToLower(text))
	}
	if text, changed := r.files.resolv.read(now); changed {
		r.conf = parseConf(text)
	}
}

// InHosts are the addresses that the hosts file has of a name.
func (r *Resolver) InHosts(name string) []netip.Addr {
	r.reread()
	return r.hosts.addresses(name)
}

// NamesOf are the names that the hosts file gives to an address.
func (r *Resolver) NamesOf(a netip.Addr) []string {
	r.reread()
	return r.hosts.names(a)
}

// Search is the search list of the machine, which no look-up uses.
func (r *Resolver) Search() []string {
	r.reread()
	return r.conf.search
}

// inHosts answers a name that the hosts file has: with the addresses of the family, or with none.
func (r *Resolver) inHosts(q Query) (Answer, bool) {
	if q.Type == dnsmessage.TypeSRV {
		return Answer{}, false
	}
	all := r.hosts.addresses(q.Name)
	if len(all) == 0 {
		return Answer{}, false
	}
	a := Answer{Code: NoData, TTL: hostsTTL}
	a.Addresses = slices.DeleteFunc(all, func(a netip.Addr) bool { return a.Is4() != (q.Type == dnsmessage.TypeA) })
	if len(a.Addresses) > 0 {
		a.Code = Found
	}
	return a, true
}

// pump begins the lookups that wait, as far as there is room. One that fails at once makes room again.
func (r *Resolver) pump() {
	if r.pumping {
		return
	}
	r.pumping = true
	for len(r.queue) > 0 && len(r.live) < mostLive {
		l := r.queue[0]
		r.queue = r.queue[1:]
		r.live = append(r.live, l)
		l.start()
	}
	r.pumping = false
}

// ended forgets a lookup and tells those that wait for it.
func (r *Resolver) ended(l *lookup, a Answer) {
	if r.lookups[l.query] != l {
		return // closed
	}
	delete(r.lookups, l.query)
	r.live = slices.DeleteFunc(r.live, func(other *lookup) bool { return other == l })
	r.pump()
	for _, done := range l.waiting {
		done(a)
	}
}
