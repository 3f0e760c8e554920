package hello

import (
	"bytes"
	"crypto/tls"
	"net"
	"strings"
	"testing"
)

// captured returns what crypto/tls writes first.
func captured(t testing.TB, c *tls.Config) []byte {
	t.Helper()
	near, far := net.Pipe()
	c.InsecureSkipVerify = true
	done := make(chan struct{})
	go func() {
		defer close(done)
		tls.Client(near, c).Handshake() // ends when the pipe is closed
	}()
	b := make([]byte, Limit)
	n, err := far.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	far.Close()
	<-done
	return b[:n]
}

// seen returns the name that a server of crypto/tls reads in the same bytes.
func seen(b []byte) (name string, ok bool) {
	near, far := net.Pipe()
	go func() {
		near.Write(b)
		near.Close()
	}()
	go func() { // alerts
		var some [512]byte
		for {
			if _, err := near.Read(some[:]); err != nil {
				return
			}
		}
	}()
	tls.Server(far, &tls.Config{GetConfigForClient: func(i *tls.ClientHelloInfo) (*tls.Config, error) {
		name, ok = i.ServerName, true
		return nil, net.ErrClosed
	}}).Handshake()
	far.Close()
	return name, ok
}

// TestOfCryptoTLS: what a client of crypto/tls sends is read as a server of crypto/tls reads it, in any records.
func TestOfCryptoTLS(t *testing.T) {
	for _, c := range []*tls.Config{
		{ServerName: "api.example.com"},
		{ServerName: "API.Example.com", MaxVersion: tls.VersionTLS12},
		{ServerName: "xn--bcher-kva.example", NextProtos: []string{"h2", "http/1.1"}},
		{ServerName: "192.0.2.1"}, // crypto/tls sends no name then
	} {
		b := captured(t, c)
		want, ok := seen(b)
		result, name, _ := Name(b)
		if !ok || name != strings.ToLower(want) || (result == ServerName) != (want != "") {
			t.Errorf("%s: %d %q, want %q, %v", c.ServerName, result, name, want, ok)
		}
		for _, n := range []int{1, 2, 5, 100} {
			again := cut(b[recordHeader:], n)
			if r, s, _ := Name(again); r != result || s != name {
				t.Errorf("%s in records of %d bytes: %d %q", c.ServerName, n, r, s)
			}
			steady(t, c.ServerName, again)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Name(captured0) }); n > 1 {
		t.Errorf("%v allocations for a hello in one record", n)
	}
}

var captured0 = record(22, message(sni("api.example.com")))

func BenchmarkName(b *testing.B) {
	hello := captured(b, &tls.Config{ServerName: "api.example.com"})
	b.ReportAllocs()
	for b.Loop() {
		if r, _, _ := Name(hello); r != ServerName {
			b.Fatal(r)
		}
	}
}

// FuzzName: every result stays when more bytes come. A name does not depend on the records that carry it, and a server
// of crypto/tls reads the same.
func FuzzName(f *testing.F) {
	hello := captured(f, &tls.Config{ServerName: "api.example.com"})
	f.Add(hello, []byte{3, 200, 0})
	f.Add(captured0, []byte{1})
	f.Add(cut(captured0[recordHeader:], 7), []byte{})
	f.Add(append(record(22, captured0[5:20]), record(21, []byte{1, 0})...), []byte{9})
	f.Add([]byte("SSH-2.0-x\r\n"), []byte{1})
	f.Fuzz(func(t *testing.T, b, sizes []byte) {
		result, name, size := Name(b)
		steady(t, "fuzz", b)
		if (result == ServerName) != (name != "") {
			t.Fatalf("%d %q", result, name)
		}
		if result != ServerName {
			return
		}
		if want, ok := seen(b); ok && strings.ToLower(want) != name {
			t.Fatalf("%q, crypto/tls reads %q", name, want)
		}
		message, _ := reassemble(b[:size])
		if again := divided(message, sizes); len(again) <= Limit {
			if r, s, _ := Name(again); r != result || s != name {
				t.Fatalf("%d %q in other records, %d %q before", r, s, result, name)
			}
		}
	})
}

// divided writes a message in records of the sizes given, in turn.
func divided(message, sizes []byte) []byte {
	var b bytes.Buffer
	for i := 0; len(message) > 0; i++ {
		n := len(message)
		if len(sizes) > 0 {
			n = min(n, 1+int(sizes[i%len(sizes)]))
		}
		n = min(n, recordMax)
		b.Write(record(22, message[:n]))
		message = message[n:]
	}
	return b.Bytes()
}
