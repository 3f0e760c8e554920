package egress_test

import (
	"testing"
)

// The name that a TLS client asks for on port 443 of a name; attacks 22 to 24.
func TestServerName(t *testing.T) { both(t, testServerName) }

func testServerName(t *testing.T, in confinement) {
	a := newSite(t, "a.sni.example.com").serveTLS(t, 443).serveTLS(t, 8443)
	b := newSite(t, "b.sni.example.com").serveTLS(t, 443)
	plain := newSite(t, "plain.sni.example.com").serve(t, 443, whoami("plain"))
	bare := newSite(t, "bare.sni.example.com").serveTLS(t, 443)
	at, hello := a.Name+":443", a.Name+": GET  /tls"
	l := launch{in: in, network: network{Allowed: []string{a.Name, a.Name + ":8443", b.Name, "*.wild.example.com", plain.Name, bare.V4.String()}}}
	e := l.rows(t,
		row{"the name", act("tls", at, a.Name, "whole"), hello, ""},
		row{"its case", act("tls", at, "A.sni.Example.com", "whole"), hello, ""},
		row{"in segments", act("tls", at, a.Name, in.segment), hello, ""},
		row{"in records of 16 bytes", act("tls", at, a.Name, "records"), hello, ""},
		row{"another name of the list", act("tls", at, b.Name, "whole"), hello, ""},
		row{"one below a star", act("tls", at, "x.wild.example.com", "whole"), hello, ""},
		row{"a foreign name", act("tls", at, "evil.example", "whole"), "", "ECONNRESET"},
		row{"a foreign name in segments", act("tls", at, "evil.example", in.segment), "", "ECONNRESET|EPIPE"},
		row{"a foreign name in records", act("tls", at, "evil.example", "records"), "", "ECONNRESET|EPIPE"},
		row{"a name that ends alike", act("tls", at, "x"+a.Name, "whole"), "", "ECONNRESET"},
		row{"no name", act("tls", at, "-", "whole"), "", "ECONNRESET"},
		row{"a long hello", act("hello", at, a.Name, "8000"), "", ""},
		row{"one longer than 16 KiB", act("hello", at, a.Name, "20000"), "", "ECONNRESET|EPIPE"},
		row{"an alert first", act("bytes", at, "15030300020100"), "", "ECONNRESET"},
		row{"an empty record first", act("bytes", at, "1603010000"), "", "ECONNRESET"},
		row{"a record of data first", act("bytes", at, "1703030003616263"), "", "ECONNRESET"},
		row{"no TLS at all", act("tcp", plain.Name+":443", "220 plain"), "220 plain", ""},
		row{"a server that speaks first", act("banner", plain.Name+":443"), "220 plain", ""},
		row{"bytes of no TLS", act("bytes", plain.Name+":443", "00011603"), "220 plain\n\x00\x01\x16\x03", ""},
		row{"another port", act("tls", a.Name+":8443", "evil.example", "whole"), hello, ""},
		row{"an address of the list", act("tls", bare.V4.String()+":443", "evil.example", "whole"), bare.Name + ": GET  /tls", ""},
		row{"an address of the list, no name", act("tls", bare.V4.String()+":443", "-", "whole"), bare.Name + ": GET  /tls", ""})
	e.told(t, denied{Kind: "server-name", Host: a.Name, Port: 443, Asked: "evil.example"})
	e.told(t, denied{Kind: "server-name", Host: a.Name, Port: 443, Asked: "x" + a.Name})
}

// checkServerName false lets any name pass, and none.
func TestServerNameUnchecked(t *testing.T) { both(t, testServerNameUnchecked) }

func testServerNameUnchecked(t *testing.T, in confinement) {
	a := newSite(t, "a.unchecked.example.com").serveTLS(t, 443)
	no := false
	l := launch{in: in, network: network{Allowed: []string{a.Name}, AnyNames: &no}}
	e := l.rows(t,
		row{"the name", act("tls", a.Name+":443", a.Name, "whole"), a.Name + ": GET  /tls", ""},
		row{"a foreign name", act("tls", a.Name+":443", "evil.example", "whole"), a.Name + ": GET  /tls", ""},
		row{"no name", act("tls", a.Name+":443", "-", "records"), a.Name + ": GET  /tls", ""})
	if len(e.Denied) > 0 {
		t.Errorf("denied %+v", e.Denied)
	}
}
