// Package dial connects to addresses that the caller has vetted, or by the company's proxy to a name, in one thread and
// without blocking.
//
//	proxy, err := dial.ProxyFrom(os.Getenv)
//	d := dial.New(set, dial.Config{Proxy: proxy, Resolver: resolver})
//	t := dial.Target{Name: "api.example.com", Addresses: vetted, Port: 443}
//	cancel := d.Dial(t, func(fd int, err error) { ... })
//	// whenever set was served: a timer at d.Next() that calls d.Due
//
// Addresses are dialled exactly as they are given and no name of a target is looked up here, so the address that was
// checked is the one that is met. They are raced as RFC 8305 says: both families in turn, IPv6 first, one more after
// 250 ms or when one fails; the first that connects is the connection. That takes 10 s at most.
//
// A proxy is asked for a target by its name (CONNECT of RFC 9110, section 9.3.6; RFC 1928), for many filter by names
// and often they alone resolve them. Then the addresses of the target are not used, so nothing has vetted where it
// leads. The proxy's own name is looked up, and its answer has 10 s more. Name and password of a proxy stand in no
// error and in no String.
package dial

import "net/netip"

// A Target is the destination of a dial. Its name is canonical (lower case, without a dot at its end), or empty for an
// address without a name.
type Target struct {
	Name      string
	Addresses []netip.AddrPort
	Port      uint16
	IPv4First bool // of addresses of both families
}

// An Error is the failure of a dial. Its text has no address, as that may be a private one (see [Error.Address]).
type Error struct {
	Proxy   string         // HOST:PORT, "" without a proxy
	Step    string         // "connect", "look up", "proxy's answer", or a call of section 2 of the manual
	Address netip.AddrPort // that connect failed for last; may be the zero value
	Err     error          // an errno, a *Refused, or the resolver's error
}

func (e *Error) Error() string {
	text := e.Step + ": " + e.Err.Error()
	if e.Proxy != "" {
		text = "proxy " + e.Proxy + ": " + text
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// A Refused is an answer of a proxy that is no connection.
type Refused struct {
	Status int    // of HTTP, or the reply of RFC 1928, section 6; 0: no such answer
	Text   string // lower case, ours: no byte is the proxy's
}

func (r *Refused) Error() string { return r.Text }
