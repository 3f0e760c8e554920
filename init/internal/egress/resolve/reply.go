package resolve

import (
	"errors"
	"net/netip"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	payload     = 1232 // of a datagram, that EDNS offers: no fragments on any link (DNS flag day 2020)
	mostRecords = 256  // of a section that are looked at
	mostHops    = 8    // of a chain of CNAMEs
)

// A reply is a nameserver's answer to a question.
type reply struct {
	code      dnsmessage.RCode
	truncated bool // nothing else is read
	lame      bool // a referral, of a server that does not resolve
	denied    bool // a SOA record says that there is nothing (RFC 2308)
	hops      int  // CNAMEs from the question's name to target
	target    string
	ttl       time.Duration
	addresses []netip.Addr
	services  []SRV
}

var errMalformed = errors.New("malformed answer")

// parse reads a packet. It is not the question's answer if ours is false, and an answer that cannot be used if there is
// an error.
func (q asked) parse(packet []byte) (r reply, ours bool, err error) {
	var p dnsmessage.Parser
	h, err := p.Start(packet)
	if err != nil || h.ID != q.id || !h.Response || h.OpCode != 0 {
		return r, false, nil
	}
	r.code, r.truncated = h.RCode, h.Truncated
	switch got, err := p.Question(); {
	case errors.Is(err, dnsmessage.ErrSectionDone):
		// A server that does not know EDNS may send the header alone.
		return r, r.code == dnsmessage.RCodeFormatError, nil
	case err != nil || got.Type != q.kind || got.Class != dnsmessage.ClassINET || text(got.Name) != text(q.name):
		return r, false, nil
	}
	if _, err := p.Question(); !errors.Is(err, dnsmessage.ErrSectionDone) {
		return r, false, nil
	}
	if r.truncated {
		return r, true, nil
	}
	records, err := answers(&p)
	if err != nil {
		return r, true, errMalformed
	}
	more := r.rest(&p)
	r.lame = r.code == dnsmessage.RCodeSuccess && !h.Authoritative && !h.RecursionAvailable &&
		len(records) == 0 && !more
	r.follow(text(q.name), q.kind, records)
	return r, true, nil
}

// A record is one of the answer section that may matter.
type record struct {
	owner   string
	kind    dnsmessage.Type
	ttl     time.Duration
	target  string // CNAME
	address netip.Addr
	service SRV
}

func answers(p *dnsmessage.Parser) (all []record, err error) {
	for range mostRecords {
		h, err := p.AnswerHeader()
		if errors.Is(err, dnsmessage.ErrSectionDone) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		r := record{owner: text(h.Name), kind: h.Type, ttl: seconds(h.TTL)}
		if h.Class != dnsmessage.ClassINET {
			h.Type = 0
		}
		switch h.Type {
		case dnsmessage.TypeA:
			var a dnsmessage.AResource
			a, err = p.AResource()
			r.address = netip.AddrFrom4(a.A)
		case dnsmessage.TypeAAAA:
			var a dnsmessage.AAAAResource
			a, err = p.AAAAResource()
			r.address = netip.AddrFrom16(a.AAAA)
		case dnsmessage.TypeCNAME:
			var c dnsmessage.CNAMEResource
			c, err = p.CNAMEResource()
			r.target = text(c.CNAME)
		case dnsmessage.TypeSRV:
			var s dnsmessage.SRVResource
			s, err = p.SRVResource()
			r.service = SRV{s.Priority, s.Weight, s.Port, text(s.Target)}
		default:
			if err = p.SkipAnswer(); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, p.SkipAllAnswers()
}

// rest reads a SOA of the authority section and the upper bits of the code in OPT. It reports whether there is any
// additional record. Unreadable records there say nothing.
func (r *reply) rest(p *dnsmessage.Parser) (more bool) {
	for range mostRecords {
		h, err := p.AuthorityHeader()
		if err != nil {
			break
		}
		if h.Type != dnsmessage.TypeSOA {
			if p.SkipAuthority() != nil {
				break
			}
			continue
		}
		soa, err := p.SOAResource()
		if err != nil {
			break
		}
		r.denied, r.ttl = true, min(seconds(h.TTL), seconds(soa.MinTTL))
	}
	if p.SkipAllAuthorities() != nil {
		return false
	}
	for range mostRecords {
		h, err := p.AdditionalHeader()
		if err != nil {
			break
		}
		more = true
		if h.Type == dnsmessage.TypeOPT {
			r.code = h.ExtendedRCode(r.code)
		}
		if p.SkipAdditional() != nil {
			break
		}
	}
	return more
}

// follow goes from the name along the CNAMEs to the records of the type that was asked for.
func (r *reply) follow(name string, kind dnsmessage.Type, records []record) {
	r.target = name
	var shortest time.Duration = -1
	shorten := func(ttl time.Duration) {
		if shortest < 0 || ttl < shortest {
			shortest = ttl
		}
	}
	for r.hops <= mostHops {
		next := ""
		for _, c := range records {
			if c.kind == dnsmessage.TypeCNAME && c.owner == r.target && c.target != "" {
				next = c.target
				shorten(c.ttl)
				break
			}
		}
		if next == "" {
			break
		}
		r.target = next
		r.hops++
	}
	for _, a := range records {
		if a.kind != kind || a.owner != r.target || len(r.addresses)+len(r.services) == mostAddresses {
			continue
		}
		shorten(a.ttl)
		if kind == dnsmessage.TypeSRV {
			r.services = append(r.services, a.service)
		} else {
			r.addresses = append(r.addresses, a.address)
		}
	}
	if len(r.addresses)+len(r.services) > 0 || shortest >= 0 && (!r.denied || shortest < r.ttl) {
		r.ttl = shortest
	}
}

// seconds is a TTL: one with the highest bit set is none (RFC 2181, section 8).
func seconds(ttl uint32) time.Duration {
	if ttl > 1<<31-1 {
		return 0
	}
	return time.Duration(ttl) * time.Second
}

// says is a code in the words of the IANA registry of DNS RCODEs.
func says(code dnsmessage.RCode) error {
	switch code {
	case dnsmessage.RCodeFormatError:
		return errors.New("answered FORMERR")
	case dnsmessage.RCodeServerFailure:
		return errors.New("answered SERVFAIL")
	case dnsmessage.RCodeNotImplemented:
		return errors.New("answered NOTIMP")
	case dnsmessage.RCodeRefused:
		return errors.New("answered REFUSED")
	}
	return errors.New("answered with an error")
}
