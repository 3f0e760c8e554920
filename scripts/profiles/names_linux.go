package main

import (
	"net/netip"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// names is the world's name server: every name has one IPv4 address of its own.
type names struct {
	sync.Mutex
	next  netip.Addr
	known map[string]netip.Addr
	names map[netip.Addr]string
}

// serve answers at the world's name server's address.
func (n *names) serve() error {
	n.known, n.names = map[string]netip.Addr{}, map[netip.Addr]string{}
	n.forget()
	return world.ServeNames(func(question []byte, _ string, reply func([]byte)) {
		if b := n.answer(question); b != nil {
			reply(b)
		}
	})
}

// answer answers one question.
func (n *names) answer(packet []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60}
	text := strings.TrimSuffix(strings.ToLower(q.Name.String()), ".")
	switch q.Type {
	case dnsmessage.TypeA:
		body := &dnsmessage.AResource{A: n.address(text).As4()}
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: body})
	case dnsmessage.TypeSRV: // mongodb+srv: one host, beside the name
		labels := strings.SplitN(text, ".", 4)
		if len(labels) == 4 {
			target := dnsmessage.MustNewName(labels[2] + "-00." + labels[3] + ".")
			body := &dnsmessage.SRVResource{Port: 27017, Target: target}
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: body})
		}
	}
	b, err := m.Pack()
	if err != nil {
		return nil
	}
	return b
}

// address is a name's, which is made at the first question.
func (n *names) address(text string) netip.Addr {
	n.Lock()
	defer n.Unlock()
	a, ok := n.known[text]
	if !ok {
		a = n.next
		n.next = a.Next()
		n.known[text], n.names[a] = a, text
	}
	return a
}

// at is the name of an address.
func (n *names) at(a netip.Addr) string {
	n.Lock()
	defer n.Unlock()
	return n.names[a.Unmap()]
}

// forget makes all names unknown, for another start.
func (n *names) forget() {
	n.Lock()
	defer n.Unlock()
	n.next = netip.MustParseAddr(firstHost)
	clear(n.known)
	clear(n.names)
}
