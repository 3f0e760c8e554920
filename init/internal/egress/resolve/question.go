package resolve

import (
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// an asked is the question that an answer must repeat.
type asked struct {
	id   uint16
	name dnsmessage.Name
	kind dnsmessage.Type
}

// message is the question on the wire.
func (q asked) message(b []byte, edns bool) ([]byte, error) {
	m := dnsmessage.NewBuilder(b, dnsmessage.Header{ID: q.id, RecursionDesired: true})
	err := m.StartQuestions()
	if err == nil {
		err = m.Question(dnsmessage.Question{Name: q.name, Type: q.kind, Class: dnsmessage.ClassINET})
	}
	if err == nil && edns {
		var h dnsmessage.ResourceHeader
		if err = h.SetEDNS0(payload, dnsmessage.RCodeSuccess, false); err == nil {
			err = m.StartAdditionals()
		}
		if err == nil {
			err = m.OPTResource(h, dnsmessage.OPTResource{})
		}
	}
	if err != nil {
		return nil, err
	}
	return m.Finish()
}

// text is a name in lower case, without the dot at its end. Package dnsmessage refuses a dot inside of a label.
func text(n dnsmessage.Name) string {
	b := n.Data[:n.Length]
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return strings.TrimSuffix(string(b), ".")
}
