package hello

import (
	"bytes"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"slices"
	"testing"
)

// answer is a ServerHello with a random.
func answer(random string) []byte {
	body := slices.Concat([]byte{3, 3}, []byte(random), []byte{0, 0x13, 1, 0, 0, 0})
	return append([]byte{2}, vector(3, body)...)
}

func TestAnswerOf(t *testing.T) {
	retry, plain := answer(retryRandom), answer("DOWNGRD\x01"+retryRandom[8:])
	warning := record(21, []byte{1, 112})
	for what, c := range map[string]struct {
		b      []byte
		want   Answer
		alerts int
	}{
		"retry":                {record(22, retry), Retry, 0},
		"with more behind":     {append(record(22, retry), record(20, []byte{1})...), Retry, 0},
		"in records of a byte": {cut(retry, 1), Retry, 0},
		"behind an alert":      {append(slices.Clone(warning), record(22, retry)...), Retry, len(warning)},
		"a ServerHello":        {record(22, plain), Final, 0},
		"behind two":           {slices.Concat(warning, warning, record(22, plain)), Final, 2 * len(warning)},
		"nothing":              {nil, Unknown, 0},
		"half":                 {record(22, retry)[:40], Unknown, 0},
		"a type":               {[]byte{22}, Unknown, 0},
		"half an alert":        {warning[:6], Unknown, 0},
		"an alert":             {warning, Unknown, len(warning)},
		"another message":      {record(22, []byte{11, 0, 0, 0}), Final, 0},
		"another record":       {record(23, retry), Final, 0},
		"HTTP":                 {[]byte("HTTP/1.1 400 Bad Request\r\n"), Final, 0},
		"short, then another":  {append(record(22, retry[:9]), 23), Final, 0},
	} {
		if a, alerts := AnswerOf(c.b); a != c.want || alerts != c.alerts {
			t.Errorf("%s: %d, %d, want %d, %d", what, a, alerts, c.want, c.alerts)
		}
		for n, last := 0, Unknown; n <= len(c.b); n++ {
			a, _ := AnswerOf(c.b[:n])
			if last != Unknown && a != last {
				t.Fatalf("%s: %d of %d bytes: %d, before %d", what, n, len(c.b), a, last)
			}
			last = a
		}
	}
}

func TestSecond(t *testing.T) {
	hello, change := record(22, message(sni("evil.b"))), record(20, []byte{1})
	for what, c := range map[string]struct {
		b      []byte
		want   Result
		name   string
		others int
	}{
		"at once":            {hello, ServerName, "evil.b", 0},
		"change cipher spec": {append(slices.Clone(change), hello...), NeedMore, "", len(change)},
		"and an alert, data": {slices.Concat(change, record(21, []byte{1, 0}), record(23, hello), hello), NeedMore, "", 6 + 7 + 5 + len(hello)},
		"half of that":       {change[:5], NeedMore, "", 0},
		"one and a half":     {append(slices.Clone(change), change[:3]...), NeedMore, "", len(change)},
		"half a hello":       {hello[:30], NeedMore, "", 0},
		"no name":            {record(22, message()), None, "", 0},
		"another message":    {record(22, []byte{11, 0, 0, 0}), None, "", 0},
		"no TLS":             {[]byte("GET /"), None, "", 0},
		"SSL 2":              {[]byte{0x80, 0x2e, 1, 3, 1}, None, "", 0},
		"nothing":            {nil, NeedMore, "", 0},
	} {
		if r, name, others := Second(c.b); r != c.want || name != c.name || others != c.others {
			t.Errorf("%s: %d %q %d, want %d %q %d", what, r, name, others, c.want, c.name, c.others)
		}
	}
}

// twoWay keeps what goes each way.
type twoWay struct {
	net.Conn
	read, written bytes.Buffer
}

func (c *twoWay) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read.Write(b[:n])
	return n, err
}

func (c *twoWay) Write(b []byte) (int, error) {
	c.written.Write(b)
	return c.Conn.Write(b)
}

// A server of crypto/tls that wants another key is seen to want a second hello, and its client says the name again.
func TestRetryOfCryptoTLS(t *testing.T) {
	made := httptest.NewUnstartedServer(nil)
	made.StartTLS()
	defer made.Close()
	for _, retries := range []bool{true, false} {
		server := &tls.Config{Certificates: made.TLS.Certificates}
		if retries {
			server.CurvePreferences = []tls.CurveID{tls.CurveP384}
		}
		l, err := tls.Listen("tcp", "127.0.0.1:0", server)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if far, err := l.Accept(); err == nil {
				far.(*tls.Conn).Handshake()
				far.Close()
			}
		}()
		near, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c := &twoWay{Conn: near}
		if err := tls.Client(c, &tls.Config{InsecureSkipVerify: true, ServerName: "a.b"}).Handshake(); err != nil {
			t.Fatal(err)
		}
		l.Close()
		near.Close()
		a, alerts := AnswerOf(c.read.Bytes())
		if (a == Retry) != retries || alerts != 0 {
			t.Errorf("retries %v: %d, %d", retries, a, alerts)
		}
		_, name, size := Name(c.written.Bytes())
		if name != "a.b" || size == 0 {
			t.Fatalf("%q, %d", name, size)
		}
		if !retries {
			continue
		}
		rest := c.written.Bytes()[size:]
		_, _, others := Second(rest)
		if r, name, _ := Second(rest[others:]); r != ServerName || name != "a.b" || others != 6 {
			t.Errorf("%d %q, behind %d bytes", r, name, others)
		}
	}
}
