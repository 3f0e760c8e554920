package dial

import (
	"net/netip"
	"strings"
)

// A speaker is a conversation with a proxy, from the connection until it leads to the target. Bytes in a network
// arrive in pieces of any size.
type speaker interface {
	// hello is the bytes to send first.
	hello() []byte
	// take is given the bytes that have come, and says how many of them are the proxy's own: those behind them are the
	// target's. It may have more to send; at the end it has ended or an error.
	take(come []byte) (taken int, send []byte, ended bool, err error)
}

// speaker begins a conversation. The target's name can stand in a request.
func (p Proxy) speaker(t Target) speaker {
	host := t.host()
	if p.socks {
		return &socks{proxy: p, host: host, port: t.Port}
	}
	return &connect{proxy: p, target: joinPort(host, t.Port)}
}

// host is the target's name, or its address.
func (t Target) host() string {
	if t.Name == "" && len(t.Addresses) > 0 {
		return t.Addresses[0].Addr().Unmap().WithZone("").String()
	}
	return t.Name
}

// speakable reports whether the target's host can stand in a request to a proxy.
func (t Target) speakable() bool {
	host := t.host()
	if strings.Contains(host, ":") {
		_, err := netip.ParseAddr(host)
		return err == nil
	}
	return isName(host)
}
