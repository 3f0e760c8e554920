package hello

import (
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func vector(bytes int, content ...[]byte) []byte {
	joined := slices.Concat(content...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(joined)))[4-bytes:], joined...)
}

func extension(kind byte, content []byte) []byte {
	return append([]byte{0, kind}, vector(2, content)...)
}

func host(kind byte, name string) []byte { return append([]byte{kind}, vector(2, []byte(name))...) }

func sni(name string) []byte { return extension(0, vector(2, host(0, name))) }

// message is a ClientHello; made is one with the parts given.
func message(extensions ...[]byte) []byte {
	return made([]byte{1, 2, 3}, []byte{0x13, 0x01}, []byte{0}, vector(2, extensions...))
}

func made(session, suites, compression, extensions []byte) []byte {
	body := slices.Concat([]byte{3, 3}, make([]byte, 32), vector(1, session), vector(2, suites), vector(1, compression), extensions)
	return append([]byte{1}, vector(3, body)...)
}

func record(kind byte, content []byte) []byte {
	return append([]byte{kind, 3, 1}, vector(2, content)...)
}

// cut divides a message into records of n bytes.
func cut(message []byte, n int) (b []byte) {
	for part := range slices.Chunk(message, n) {
		b = append(b, record(22, part)...)
	}
	return b
}

func TestName(t *testing.T) {
	good := message(extension(10, []byte{0, 2, 0, 29}), sni("API.example.com"), extension(43, []byte{2, 3, 4}))
	long := strings.Repeat(strings.Repeat("a", 63)+".", 3)
	large := message(sni("a.b"), extension(21, make([]byte, 15000)))
	for what, c := range map[string]struct {
		b    []byte
		want Result
		name string
	}{
		"one record":         {record(22, good), ServerName, "api.example.com"},
		"records of a byte":  {cut(good, 1), ServerName, "api.example.com"},
		"another message":    {record(22, append(slices.Clone(good), 11, 0, 0, 0)), None, ""},
		"a byte behind":      {cut(append(slices.Clone(good), 1), len(good)+1-9), None, ""},
		"a record behind":    {append(record(22, good), record(21, []byte{1, 0})...), ServerName, "api.example.com"},
		"underscore":         {record(22, message(sni("a_b-1.c"))), ServerName, "a_b-1.c"},
		"longest":            {record(22, message(sni(long+long[:61]))), ServerName, long + long[:61]},
		"15,000 bytes":       {record(22, large), ServerName, "a.b"},
		"15,000 in records":  {cut(large, 100), ServerName, "a.b"},
		"no random session":  {record(22, made(nil, []byte{0, 1}, []byte{0}, vector(2, sni("a.b")))), ServerName, "a.b"},
		"nothing":            {nil, NeedMore, ""},
		"a type":             {[]byte{22}, NeedMore, ""},
		"half a header":      {[]byte{22, 3, 1, 0}, NeedMore, ""},
		"half a message":     {record(22, good)[:60], NeedMore, ""},
		"half in a record":   {record(22, good[:60]), NeedMore, ""},
		"next record's type": {append(record(22, good[:60]), 22), NeedMore, ""},
		"SSH":                {[]byte("SSH-2.0-OpenSSH_9.9\r\n"), NotTLS, ""},
		"HTTP":               {[]byte("GET / HTTP/1.1\r\n"), NotTLS, ""},
		"one letter":         {[]byte("G"), NotTLS, ""},
		"SSL 2":              {[]byte{0x80, 0x2e, 1, 3, 1}, None, ""},
		"half of SSL 2":      {[]byte{0x80, 0x2e, 1}, NeedMore, ""},
		"like SSL 2":         {[]byte{0x80, 0x2e, 2}, NotTLS, ""},
		"SSL 2 itself":       {[]byte{0x80, 0x2e, 1, 0, 2}, NotTLS, ""},
		"version 2":          {[]byte{22, 2, 0}, None, ""},
		"version 15":         {change(record(22, good), 1, 15), None, ""},
		"DTLS":               {[]byte{22, 0xfe, 0xfd}, None, ""},
		"heartbeat":          {[]byte{24, 3, 3}, NotTLS, ""},
		"type 19":            {[]byte{19, 3, 3}, NotTLS, ""},
		"alert":              {record(21, []byte{1, 0}), None, ""},
		"change cipher spec": {append(record(20, []byte{1}), record(22, good)...), None, ""},
		"data":               {record(23, good), None, ""},
		"two bytes of data":  {[]byte{23, 3}, None, ""},
		"empty record":       {append(record(22, nil), record(22, good)...), None, ""},
		"empty in between":   {slices.Concat(record(22, good[:9]), record(22, nil), record(22, good[9:])), None, ""},
		"alert in between":   {slices.Concat(record(22, good[:9]), record(21, []byte{1, 0}), record(22, good[9:])), None, ""},
		"version in between": {append(record(22, good[:9]), 22, 4), None, ""},
		"too large record":   {[]byte{22, 3, 1, 0x40, 1}, None, ""},
		"too large message":  {record(22, []byte{1, 1, 0, 0}), None, ""},
		"more than 16 KiB":   {record(22, message(extension(21, make([]byte, 16320)), sni("a.b"))), None, ""},
		"too many records":   {cut(large, 20), None, ""},
		"server hello":       {record(22, append([]byte{2}, good[1:]...)), None, ""},
		"no extensions":      {record(22, made(nil, []byte{0, 1}, []byte{0}, nil)), None, ""},
		"no name":            {record(22, message(extension(10, []byte{0, 2, 0, 29}))), None, ""},
		"two extensions":     {record(22, message(sni("a.b"), sni("a.b"))), None, ""},
		"the second is odd":  {record(22, message(sni("a.b"), extension(0, nil))), None, ""},
		"two names":          {record(22, message(extension(0, vector(2, host(0, "a.b"), host(0, "c.d"))))), None, ""},
		"a name of type 1":   {record(22, message(extension(0, vector(2, host(1, "a.b"))))), None, ""},
		"and one of type 1":  {record(22, message(extension(0, vector(2, host(0, "a.b"), host(1, "c"))))), None, ""},
		"empty list":         {record(22, message(extension(0, vector(2)))), None, ""},
		"empty extension":    {record(22, message(extension(0, nil))), None, ""},
		"behind the list":    {record(22, message(extension(0, append(vector(2, host(0, "a.b")), 0)))), None, ""},
		"list too long":      {record(22, message(extension(0, []byte{0, 9, 0, 0, 1, 'a'}))), None, ""},
		"name too long":      {record(22, message(extension(0, []byte{0, 4, 0, 0, 2, 'a'}))), None, ""},
		"empty name":         {record(22, message(sni(""))), None, ""},
		"dot at the end":     {record(22, message(sni("a.b."))), None, ""},
		"dot first":          {record(22, message(sni(".a.b"))), None, ""},
		"two dots":           {record(22, message(sni("a..b"))), None, ""},
		"zero byte":          {record(22, message(sni("evil\x00.a.b"))), None, ""},
		"colon":              {record(22, message(sni("2001:db8::1"))), None, ""},
		"not ASCII":          {record(22, message(sni("\xc3\xa4.b"))), None, ""},
		"label of 64":        {record(22, message(sni(strings.Repeat("a", 64)+".b"))), None, ""},
		"254 bytes":          {record(22, message(sni(long+long[:62]))), None, ""},
		"session of 33":      {record(22, made(make([]byte, 33), []byte{0, 1}, []byte{0}, vector(2, sni("a.b")))), None, ""},
		"no suites":          {record(22, made(nil, nil, []byte{0}, vector(2, sni("a.b")))), None, ""},
		"half a suite":       {record(22, made(nil, []byte{0, 1, 2}, []byte{0}, vector(2, sni("a.b")))), None, ""},
		"no compression":     {record(22, made(nil, []byte{0, 1}, nil, vector(2, sni("a.b")))), None, ""},
		"behind extensions":  {record(22, made(nil, []byte{0, 1}, []byte{0}, append(vector(2, sni("a.b")), 0))), None, ""},
		"extensions too few": {record(22, made(nil, []byte{0, 1}, []byte{0}, append([]byte{0, 99}, sni("a.b")...))), None, ""},
		"half an extension":  {record(22, message(sni("a.b"), []byte{0})), None, ""},
		"empty message":      {record(22, []byte{1, 0, 0, 0}), None, ""},
	} {
		result, name, _ := Name(c.b)
		if result != c.want || name != c.name {
			t.Errorf("%s: %d %q, want %d %q", what, result, name, c.want, c.name)
		}
		steady(t, what, c.b)
	}
}

// steady gives Name every prefix: once there is a result it stays.
func steady(t *testing.T, what string, b []byte) {
	t.Helper()
	step := 1 + len(b)/500
	for n, last, name := 0, NeedMore, ""; n <= len(b); n += step {
		r, s, _ := Name(b[:n])
		if last != NeedMore && (r != last || s != name) || r == NeedMore && n >= Limit {
			t.Fatalf("%s: %d bytes: %d %q, before %d %q", what, n, r, s, last, name)
		}
		last, name = r, s
	}
}

func change(b []byte, at int, c byte) []byte {
	b = slices.Clone(b)
	b[at] = c
	return b
}

// Servers made with Go take a first record of any version below 16.0: so that is no way around a name.
func TestOtherVersions(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	for version, accepted := range map[byte]bool{2: true, 3: true, 4: true, 15: true, 16: false} {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		first := &firstRecord{Conn: c, version: version}
		err = tls.Client(first, &tls.Config{InsecureSkipVerify: true, ServerName: "evil.test"}).Handshake()
		if (err == nil) != accepted {
			t.Errorf("version %d: %v", version, err)
		}
		if got, name, _ := Name(first.said); got == NotTLS || got == ServerName && name != "evil.test" {
			t.Errorf("version %d, which a server takes: %v, %q", version, got, name)
		}
		c.Close()
	}
}

// firstRecord changes the version of the first record.
type firstRecord struct {
	net.Conn
	version byte
	said    []byte
}

func (f *firstRecord) Write(b []byte) (int, error) {
	if f.said == nil {
		f.said = change(b, 1, f.version)
		b = f.said
	}
	return f.Conn.Write(b)
}
