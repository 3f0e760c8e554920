package egress_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// authority is the tests' own certificate authority, made once.
var authority = sync.OnceValues(func() (tls.Certificate, error) {
	return world.Authority(&x509.Certificate{Subject: pkix.Name{CommonName: "egress tests"}})
})

// certificate is the host's, for its name and addresses.
func (s *site) certificate(t *testing.T) tls.Certificate {
	t.Helper()
	ca, err := authority()
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{DNSNames: []string{s.Name}, Subject: pkix.Name{CommonName: s.Name},
		IPAddresses: []net.IP{s.V4.AsSlice(), s.V6.AsSlice()}}
	own, err := world.Certify(c, &ca)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// serveTLS has the host serve HTTPS on a port, whatever name it is asked for.
func (s *site) serveTLS(t *testing.T, port int) *site {
	t.Helper()
	return s.serveHTTPS(t, port, s.web())
}

// serveFiles has the host serve a folder's files over HTTPS on a port.
func (s *site) serveFiles(t *testing.T, port int, folder string) *site {
	t.Helper()
	return s.serveHTTPS(t, port, http.FileServer(http.Dir(folder)))
}

func (s *site) serveHTTPS(t *testing.T, port int, with http.Handler) *site {
	t.Helper()
	config := &tls.Config{Certificates: []tls.Certificate{s.certificate(t)}}
	server := &http.Server{Handler: with, ErrorLog: log.New(io.Discard, "", 0)} // of handshakes that are refused
	return s.serve(t, port, func(c *net.TCPConn) { server.Serve(&single{c: tls.Server(c, config), done: make(chan struct{})}) })
}

// authorityFile is a file with the authority's certificate, which every user may read.
func authorityFile(t *testing.T) string {
	t.Helper()
	ca, err := authority()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(testbed.Folder(t), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Leaf.Raw})
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// single is a listener of one connection. Its second Accept waits for that one's end.
type single struct {
	c    net.Conn
	done chan struct{}
	once sync.Once
	took bool
}

func (l *single) Accept() (net.Conn, error) {
	if l.took {
		<-l.done
		return nil, net.ErrClosed
	}
	l.took = true
	return &ending{l.c, l}, nil
}

func (l *single) Close() error { l.once.Do(func() { close(l.done) }); return nil }

func (l *single) Addr() net.Addr { return l.c.LocalAddr() }

// ending is a connection whose Close ends its listener.
type ending struct {
	net.Conn
	of *single
}

func (c *ending) Close() error {
	defer c.of.Close()
	return c.Conn.Close()
}
