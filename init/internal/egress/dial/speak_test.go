package dial

import (
	"encoding/base64"
	"errors"
	"net/netip"
	"strings"
	"testing"
)

func proxy(t testing.TB, value string) Proxy {
	t.Helper()
	p, err := ProxyFrom(env("ALL_PROXY", value))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// converse gives the speaker an answer in pieces of a size, and returns what was sent and how many bytes were taken.
func converse(s speaker, answer string, size int) (sent string, taken int, ended bool, err error) {
	sent = string(s.hello())
	for taken < len(answer) && !ended && err == nil {
		var n int
		var send []byte
		n, send, ended, err = s.take([]byte(answer[taken:min(taken+size, len(answer))]))
		taken += n
		sent += string(send)
		if n == 0 && err == nil {
			return sent, taken, ended, errors.New("took nothing")
		}
	}
	return sent, taken, ended, err
}

type conversation struct {
	what, proxy, host string
	sent, answer      string
	status            int
	err               string // "": the target is reached, and "BEHIND" is the target's
}

var conversations = []conversation{
	{"http", "http://h", "a.example", "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", 0, ""},
	{"http 1.0", "http://h", "a.example", "", "HTTP/1.0 200 Connection established\r\nVia: x\r\nContent-Length: 6\r\n\r\n", 0, ""},
	{"http without text", "http://h", "a.example", "", "HTTP/1.1 200\r\n\r\n", 0, ""},
	{"http line feeds", "http://h", "a.example", "", "HTTP/1.1 200 OK\nA: b\n\n", 0, ""},
	{"http login", "http://user:s3c%3Aret@h", "a.example", "Proxy-Authorization: Basic dXNlcjpzM2M6cmV0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", 0, ""},
	{"http IPv6", "http://h", "2001:db8::1", "CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", 0, ""},
	{"http longest", "http://h", "a.example", "", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", mostHeader-24) + "\r\n\r\n", 0, ""},
	{"http too long", "http://h", "a.example", "", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", mostHeader-23) + "\r\n\r\n", 0, "a header of more than 8 KiB"},
	{"http endless", "http://h", "a.example", "", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 9*mostHeader), 0, "a header of more than 8 KiB"},
	{"http 403", "http://h", "a.example", "", "HTTP/1.1 403 Forbidden\x1b[2J\r\n\r\n", 403, "status 403"},
	{"http 407", "http://h", "a.example", "", "HTTP/1.1 407 X\r\nProxy-Authenticate: Basic realm=x\r\n\r\n", 407, "status 407: a name and a password are wanted"},
	{"http 407 again", "http://u:s3cret@h", "a.example", "", "HTTP/1.1 407 X\r\nproxy-authenticate: basic\r\n\r\n", 407, "status 407: another name or password is wanted"},
	{"http 407 NTLM", "http://h", "a.example", "", "HTTP/1.1 407 X\r\nProxy-Authenticate: NTLM\r\nX: Basic\r\n\r\n", 407, "not Basic"},
	{"http 100", "http://h", "a.example", "", "HTTP/1.1 100 Continue\r\n\r\n", 100, "status 100"},
	{"http 204", "http://h", "a.example", "", "HTTP/1.1 204 No Content\r\n\r\n", 204, "status 204"},
	{"http 302", "http://h", "a.example", "", "HTTP/1.1 302 Found\r\nLocation: http://login/\r\n\r\n", 302, "status 302"},
	{"http 199", "http://h", "a.example", "", "HTTP/1.1 199 X\r\n\r\n", 199, "status 199"},
	{"http 500", "http://h", "a.example", "", "HTTP/1.1 500 X\r\n\r\n", 500, "status 500"},
	{"http 2000", "http://h", "a.example", "", "HTTP/1.1 2000 OK\r\n\r\n", 0, "no answer of HTTP"},
	{"http sign", "http://h", "a.example", "", "HTTP/1.1 +20 OK\r\n\r\n", 0, "no answer of HTTP"},
	{"http garbage", "http://h", "a.example", "", "SSH-2.0-x\r\n", 0, "no answer of HTTP"},

	{"socks", "socks5://h", "a.example", "\x05\x01\x00" + "\x05\x01\x00\x03\x09a.example\x01\xbb", "\x05\x00" + "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 0, ""},
	{"socks IPv4", "socks5://h", "192.0.2.1", "\x05\x01\x00" + "\x05\x01\x00\x01\xc0\x00\x02\x01\x01\xbb", "\x05\x00" + "\x05\x00\x00\x04" + strings.Repeat("x", 18), 0, ""},
	{"socks IPv6", "socks5://h", "2001:db8::1", "\x05\x01\x00\x04\x20\x01\x0d\xb8", "\x05\x00" + "\x05\x00\x00\x03\x00xx", 0, ""},
	{"socks name", "socks5h://h", "a.example", "", "\x05\x00" + "\x05\x00\x00\x03\xff" + strings.Repeat("x", 257), 0, ""},
	{"socks login", "socks5://us:s3c@h", "a.example", "\x05\x02\x00\x02" + "\x01\x02us\x03s3c" + "\x05\x01\x00\x03\x09a.example\x01\xbb",
		"\x05\x02" + "\x01\x00" + "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 0, ""},
	{"socks login not wanted", "socks5://us:s3c@h", "a.example", "\x05\x02\x00\x02" + "\x05\x01\x00\x03\x09a.example\x01\xbb",
		"\x05\x00" + "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 0, ""},
	{"socks wrong login", "socks5://us:s3cret@h", "a.example", "", "\x05\x02\x01\x01", 0, "another name or password is wanted"},
	{"socks login wanted", "socks5://h", "a.example", "", "\x05\xff", 0, "a name and a password are wanted"},
	{"socks unasked login", "socks5://h", "a.example", "", "\x05\x02", 0, "a name and a password are wanted"},
	{"socks GSSAPI", "socks5://us:s3cret@h", "a.example", "", "\x05\xff", 0, "a way to log in is wanted that is not spoken"},
	{"socks not allowed", "socks5://h", "a.example", "", "\x05\x00\x05\x02", 2, "reply 2: not allowed by its rules"},
	{"socks refused", "socks5://h", "a.example", "", "\x05\x00\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00", 5, "reply 5: connection refused"},
	{"socks unknown", "socks5://h", "a.example", "", "\x05\x00\x05\xee\x00\x01\x00\x00\x00\x00\x00\x00", 0xee, "an unknown reply"},
	{"socks address", "socks5://h", "a.example", "", "\x05\x00\x05\x00\x00\x07\x00\x00\x00\x00\x00\x00", 0, "no answer of socks5"},
	{"socks 4", "socks5://h", "a.example", "", "\x04\x00", 0, "no answer of socks5"},
	{"socks garbage", "socks5://h", "a.example", "", "HTTP/1.1 400 X\r\n\r\n", 0, "no answer of socks5"},
	{"socks later garbage", "socks5://h", "a.example", "", "\x05\x00HTTP", 0, "no answer of socks5"},
}

func (c conversation) target() Target {
	if a, err := netip.ParseAddr(c.host); err == nil {
		return Target{Addresses: []netip.AddrPort{netip.AddrPortFrom(a, 443)}, Port: 443}
	}
	return Target{Name: c.host, Port: 443}
}

// Each conversation has the same end however its bytes are cut, and takes none of the target's.
func TestConversations(t *testing.T) {
	for _, c := range conversations {
		for _, size := range []int{1, 2, 3, 7, 1000, 1 << 20} {
			s := proxy(t, c.proxy).speaker(c.target())
			sent, taken, ended, err := converse(s, c.answer+"BEHIND", size)
			if !strings.Contains(sent, c.sent) {
				t.Errorf("%s: sent %q, want %q", c.what, sent, c.sent)
			}
			if c.err == "" && (err != nil || !ended || taken != len(c.answer)) {
				t.Errorf("%s in pieces of %d: took %d of %d, ended %v, %v", c.what, size, taken, len(c.answer), ended, err)
			}
			if c.err != "" {
				r, ok := errors.AsType[*Refused](err)
				if ended || !ok || r.Status != c.status || !strings.Contains(r.Text, c.err) {
					t.Errorf("%s in pieces of %d: ended %v, %v, want %s", c.what, size, ended, err, c.err)
				}
				if ok && strings.Contains(err.Error(), "s3cret") {
					t.Errorf("%s: shows the password", c.what)
				}
			}
		}
	}
}

// A hostile proxy makes no panic, is asked for no more than a bounded number of bytes, and the cuts do not matter.
func FuzzSpeakers(f *testing.F) {
	for _, c := range conversations {
		f.Add(c.answer, uint8(3))
	}
	f.Fuzz(func(t *testing.T, answer string, size uint8) {
		for _, p := range []string{"http://h", "http://u:s3cret@h", "socks5://h", "socks5://u:s3cret@h"} {
			target := Target{Name: "a.example", Port: 443}
			sent, taken, ended, err := converse(proxy(t, p).speaker(target), answer, int(size)+1)
			sent2, taken2, ended2, err2 := converse(proxy(t, p).speaker(target), answer, 1)
			if ended != ended2 || (err == nil) != (err2 == nil) || err == nil && (sent != sent2 || taken != taken2) {
				t.Fatalf("%s: %q ends otherwise in pieces of %d: %d %v %v, %d %v %v", p, answer, size, taken, ended, err, taken2, ended2, err2)
			}
			if err != nil {
				if _, ok := errors.AsType[*Refused](err); !ok {
					t.Fatal(err)
				}
			}
			if taken > mostHeader {
				t.Fatalf("took %d bytes", taken)
			}
		}
	})
}

func TestBase64(t *testing.T) {
	for _, s := range []string{"", "a", "ab", "abc", "abcd", "user:\xff\xfe\x00?>"} {
		if got, want := base64Of(s), base64.StdEncoding.EncodeToString([]byte(s)); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func TestSpeakable(t *testing.T) {
	for name, want := range map[string]bool{
		"a.example": true, "a_b-c.example": true, "192.0.2.1": true, "2001:db8::1": true, "": false, "a b": false, "a\r\nX: y": false,
		"a/b": false, "a@b": false, "a:1": false, "\x00": false, strings.Repeat("a", 254): false,
	} {
		if got := (Target{Name: name}).speakable(); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
