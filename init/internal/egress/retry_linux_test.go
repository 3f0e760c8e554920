package egress

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// sized is text behind its length of some bytes.
func sized(bytes int, text string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(text)))[4-bytes:]) + text
}

// helloOf is a ClientHello that asks for a name: a message, without its record.
func helloOf(name string) string {
	sni := "\x00\x00" + sized(2, sized(2, "\x00"+sized(2, name)))
	return "\x01" + sized(3, "\x03\x03"+strings.Repeat("r", 32)+sized(1, "")+sized(2, "\x13\x01")+sized(1, "\x00")+sized(2, sni))
}

func handshakeRecord(message string) string { return "\x16\x03\x03" + sized(2, message) }

// serverHello is the record of a ServerHello with a random.
func serverHello(random string) string {
	return handshakeRecord("\x02" + sized(3, "\x03\x03"+random+sized(1, "")+"\x13\x01\x00"+sized(2, "")))
}

const (
	// retryRandom is that of a HelloRetryRequest; RFC 8446, 4.1.3.
	retryRandom = "\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91" +
		"\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e\x09\xe2\xc8\xa8\x33\x9c"
	changeCipherSpec = "\x14\x03\x03\x00\x01\x01"
)

// A server that wants a second hello takes its name, and OpenSSL's do not compare it with the first one: it is looked at
// as the first is, whether the client waits for the answer or not.
func TestSecondHello(t *testing.T) {
	first := handshakeRecord(helloOf("api.test"))
	good, evil := changeCipherSpec+first, changeCipherSpec+handshakeRecord(helloOf("evil.test"))
	earlyData := "\x17\x03\x03" + sized(2, "early")
	for _, c := range []struct {
		what, with, answer, then string
		passes, asked            string
	}{
		{"the same name", "", serverHello(retryRandom), good, good, ""},
		{"and more", "", serverHello(retryRandom), good + "\x17more", good + "\x17more", ""},
		{"another name", "", serverHello(retryRandom), evil, changeCipherSpec, "evil.test"},
		{"before the answer", evil, serverHello(retryRandom), "", changeCipherSpec, "evil.test"},
		{"behind early data", earlyData + evil, serverHello(retryRandom), "", earlyData + changeCipherSpec, "evil.test"},
		{"no hello", "", serverHello(retryRandom), changeCipherSpec + "plain", changeCipherSpec, "-"},
		{"early data", earlyData, serverHello(retryRandom[:31] + "x"), "more", earlyData + "more", ""},
		{"a server without TLS", "", "HTTP/1.1 400 Bad Request", evil, evil, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := newWorld(t, apiHost, onlyAPI())
			upstream := w.server(443)
			fd := w.connect(w.handle("api.test", "203.0.113.10"), 443)
			defer unix.Close(fd)
			w.until("connected", func() bool { _, err := unix.Write(fd, []byte(first+c.with)); return err == nil })
			out := -1
			w.until("accepted", func() (ok bool) {
				var err error
				out, _, err = unix.Accept4(upstream, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
				return err == nil
			})
			defer unix.Close(out)
			if text, err := w.read(out); text != first || err != nil {
				t.Fatalf("before the answer %d bytes, %v, want %d", len(text), err, len(first))
			}
			_, err := unix.Write(out, []byte(c.answer))
			w.must(err)
			if text, err := w.read(fd); text != c.answer || err != nil {
				t.Fatalf("answer: %q, %v", text, err)
			}
			if c.with == "" || c.asked == "" { // else the connection has gone
				_, err = unix.Write(fd, []byte(c.then))
				w.must(err)
			}
			got := ""
			for err = nil; err == nil && (c.asked != "" || len(got) < len(c.passes)); {
				var text string
				text, err = w.read(out)
				got += text
			}
			// A reset may overtake what was sent before.
			if got != c.passes && (c.asked == "" || !strings.HasPrefix(c.passes, got)) || (err == unix.ECONNRESET) != (c.asked != "") {
				t.Errorf("%q, %v, want %q", got, err, c.passes)
			}
			d := w.refusal(order.DeniedServerName)
			if (d != nil) != (c.asked != "") || d != nil && d.Asked != strings.Trim(c.asked, "-") {
				t.Errorf("told %+v, want %q", d, c.asked)
			}
		})
	}
}

// Two hellos in one record are no name: the second one might be the one that counts.
func TestTwoHellosInARecord(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	w.server(443)
	fd := w.connect(w.handle("api.test", "203.0.113.10"), 443)
	defer unix.Close(fd)
	both := handshakeRecord(helloOf("api.test") + helloOf("evil.test"))
	w.until("connected", func() bool { _, err := unix.Write(fd, []byte(both)); return err == nil })
	if _, err := w.read(fd); err != unix.ECONNRESET {
		t.Error(err)
	}
	if d := w.refusal(order.DeniedServerName); d == nil || d.Asked != "" {
		t.Errorf("%+v", d)
	}
}
