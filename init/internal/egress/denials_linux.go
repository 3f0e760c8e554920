package egress

import (
	"cmp"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// A target is a name, or the address of an entry that is one, with a port; 0: not known.
type target struct {
	host string
	port uint16
}

// denials are the refusals, each reported once, and the traffic, for a person and a host.
type denials struct {
	begun  bool
	tally  *tally.Tally
	rules  *match.Rules
	counts map[target]*order.Egress
}

// mostTargets is how many names and ports are counted apart.
const mostTargets = 1024

func (t *denials) tell(d *order.Denied) {
	if t.begun {
		d.Event, d.Layer = "denied", order.Network
		t.tally.Refuse(d, time.Now())
	}
}

// port tells of a port that no entry opens of a name, or of this machine itself.
func (t *denials) port(at target) {
	d := &order.Denied{Act: order.Act{Kind: order.DeniedPort, Host: at.host, Port: at.port}}
	reason := t.rules.Port(at.host, at.port)
	if a, err := netip.ParseAddr(at.host); err == nil {
		reason = t.rules.Address(a, at.port)
	}
	if reason != match.Denied {
		d.Flag = d.Suggest()
	}
	t.tell(d)
}

// address tells of an address that no allowed name has.
func (t *denials) address(a netip.AddrPort) {
	t.tell(&order.Denied{Act: order.Act{Kind: order.DeniedAddress, Address: a.Addr().String(), Port: a.Port()}})
}

// private reports a name with addresses that may not be dialled; not the addresses, which the server may not learn.
func (t *denials) private(name string, class addresses.Class) {
	d := &order.Denied{Act: order.Act{Kind: order.DeniedPrivate, Host: name}}
	if class == addresses.Private {
		d.Flag = d.Suggest()
	}
	t.tell(d)
}

func (t *denials) serverName(at target, asked string) {
	t.tell(&order.Denied{Act: order.Act{Kind: order.DeniedServerName, Host: at.host, Port: at.port, Asked: asked}})
}

func (t *denials) udp(host, address string, port uint16) {
	t.tell(&order.Denied{Act: order.Act{Kind: order.DeniedUDP, Host: host, Address: address, Port: port}})
}

// Texts of limits.
const (
	limitNames       = "too many names at once: some look-ups failed"
	limitConnections = "512 connections at once are the most: further ones were reset"
	limitFiles       = "the launcher can open no more files (ulimit -n): connections were reset"
	limitTable       = "this machine can open no more files (sysctl fs.file-max): connections were reset, or wait"
	limitSockets     = "512 sockets of TCP without a connection and 256 of UDP are the most: further ones were refused"
	limitQuestions   = "too many look-ups at once: some failed"
)

func (t *denials) limit(which string) {
	t.tell(&order.Denied{Act: order.Act{Kind: order.DeniedLimit, Asked: which}})
}

// files tells of a descriptor that was not to be had.
func (t *denials) files(err error) {
	if errors.Is(err, unix.ENFILE) {
		t.limit(limitTable)
	} else {
		t.limit(limitFiles)
	}
}

// upstream reports a failure on the host's side.
func (t *denials) upstream(at target, err error) {
	d := &order.Denied{Act: order.Act{Kind: order.DeniedUpstream, Host: at.host, Port: at.port}}
	if d.Errno = "failed"; err != nil {
		d.Errno = err.Error()
	}
	var dialled *dial.Error
	var asked *resolve.ServerError
	others := errors.As(err, &asked) || errors.As(err, &dialled) && dialled.Proxy != "" // not the host itself
	if errno := syscall.Errno(0); !others && errors.As(err, &errno) {
		d.Errno = unix.ErrnoName(errno)
	}
	t.tell(d)
}

// count is where a connection's bytes are counted.
func (t *denials) count(at target) *order.Egress {
	c := t.counts[at]
	if c == nil {
		c = &order.Egress{Host: at.host, Port: at.port}
		if len(t.counts) < mostTargets {
			t.counts[at] = c
		}
	}
	return c
}

// listBytes is the most that the list takes, as a part of the last line of a report: tally.ListBytes says why.
const listBytes = 12 << 10

// list is in the order of names and ports. Where all have no room it is of those that carried the most.
func (t *denials) list() (all []order.Egress) {
	for _, c := range t.counts {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b order.Egress) int {
		return cmp.Or(cmp.Compare(b.Sent+b.Received, a.Sent+a.Received), cmp.Compare(b.Connections, a.Connections))
	})
	left := listBytes
	for i := range all {
		if left -= 80 + len(all[i].Host); left < 0 {
			all = all[:i]
			break
		}
	}
	slices.SortFunc(all, func(a, b order.Egress) int {
		if a.Host != b.Host {
			return strings.Compare(a.Host, b.Host)
		}
		return int(a.Port) - int(b.Port)
	})
	return all
}
