// Package resolve is a stub resolver (RFC 1034, section 5.3.1) for one thread: it asks the host's nameservers for
// addresses without blocking, as Go's own resolver does, and answers from /etc/hosts first.
//
//	r := resolve.New(set, resolve.Config{})
//	r.Lookup(resolve.Query{Name: "api.example.com", Type: dnsmessage.TypeA}, func(a resolve.Answer) { ... })
//	// whenever set was served: a timer at r.Next() that calls r.Due
//
// Names are absolute: search and ndots of resolv.conf(5) have no effect, nor do the modules of nsswitch.conf(5), so
// names that LDAP, mDNS or another module alone knows do not resolve. Nothing is cached.
//
// An answer is taken only from the address and port that was asked, with the identifier and the question that were
// sent; others are ignored until the time is over. 64 lookups run side by side, 1,024 more wait.
package resolve

import (
	"net/netip"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// A Query is a question for one type of records. Name is canonical: lower case, without a dot at its end. Type is A,
// AAAA or SRV.
type Query struct {
	Name string
	Type dnsmessage.Type
}

// A Code is how a lookup ended.
type Code uint8

const (
	Failed Code = iota // no nameserver gave an answer: temporary
	Found
	NoName // NXDOMAIN
	NoData // the name exists, without records of the type
)

// An Answer is the result of a lookup. Its slices are shared by all that asked: they are not to be changed.
type Answer struct {
	Code      Code
	Addresses []netip.Addr // at most 64, of the type that was asked for
	Targets   []SRV        // at most 64
	// TTL is the shortest of the records', also of those that say that there is none (RFC 2308); 0 if none tells.
	TTL time.Duration
	Err error // of Failed: a *ServerError, or why none was asked
}

// SRV is a record of RFC 2782. Target is in lower case, without a dot at its end.
type SRV struct {
	Priority, Weight, Port uint16
	Target                 string
}

// Config says where the host's settings are. The zero value is the host's own.
type Config struct {
	Hosts  string           // hosts(5); "": /etc/hosts
	Resolv string           // resolv.conf(5); "": /etc/resolv.conf
	Port   uint16           // of the nameservers; 0: 53
	Now    func() time.Time // nil: time.Now
}

// A ServerError is the failure of the nameserver that was asked last.
type ServerError struct {
	Server netip.AddrPort
	Err    error // an errno (ETIMEDOUT: no answer), or a text
}

func (e *ServerError) Error() string { return "nameserver " + e.Server.String() + ": " + e.Err.Error() }
func (e *ServerError) Unwrap() error { return e.Err }
