package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/stage"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// firstHost is the address of the first name; the hosts of the world follow it.
const firstHost = "203.0.113.60"

// ports are those of all hosts. What a client says first decides between TLS, HTTP, Redis and an end at once; to a
// client of MySQL the server speaks first.
var ports = []int{80, 443, 3000, 3306, 5432, 5678, 6379, 6443, 8080, 9200, 27017}

// hostWorld is every host of the world, and the name server.
type hostWorld struct {
	names names
	dir   string
	ca    tls.Certificate
	now   atomic.Pointer[session] // whose answers are given
	conns chan net.Conn

	certificates sync.Map // by name
}

func newWorld() (w *hostWorld, err error) {
	w = &hostWorld{conns: make(chan net.Conn)}
	root, err := testbed.Root()
	if err != nil {
		return nil, err
	}
	// Not in /tmp, where a grant costs the server AF_UNIX; nor in .cache: there are servers that open nothing hidden.
	built := filepath.Join(root, "bin")
	stage.Sweep(built, "world-")
	if err := os.MkdirAll(built, 0o755); err != nil {
		return nil, err
	}
	if w.dir, err = os.MkdirTemp(built, "world-"); err != nil {
		return nil, err
	}
	if err := os.Chmod(w.dir, 0o755); err != nil { // for the servers' user
		return nil, err
	}
	w.ca, err = world.Authority(&x509.Certificate{Subject: pkix.Name{CommonName: "profiles test"}})
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.ca.Leaf.Raw})
	if err := os.WriteFile(w.caFile(), text, 0o644); err != nil {
		return nil, err
	}
	if err := w.names.serve(); err != nil {
		return nil, err
	}
	for _, port := range ports {
		l, err := net.Listen("tcp4", ":"+strconv.Itoa(port))
		if err != nil {
			return nil, err
		}
		if port == mysqlPort {
			go accept(l, serveMySQL)
		} else {
			go accept(l, w.sort)
		}
	}
	server := &http.Server{Handler: http.HandlerFunc(w.serve), ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(&fed{w.conns}) }()
	return w, nil
}

func (w *hostWorld) remove() { os.RemoveAll(w.dir) }

// caFile is the certificate of the world's authority.
func (w *hostWorld) caFile() string { return filepath.Join(w.dir, "ca.pem") }

func accept(l net.Listener, serve func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go serve(c)
	}
}

// sort looks at a connection's first byte.
func (w *hostWorld) sort(c net.Conn) {
	const handshake = 0x16 // RFC 8446, 5.1
	p := &peeked{Conn: c, r: bufio.NewReader(c)}
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
	first, err := p.r.Peek(1)
	_ = c.SetReadDeadline(time.Time{})
	switch {
	case err == nil && first[0] == handshake:
		w.conns <- tls.Server(p, &tls.Config{GetCertificate: w.certificate})
	case err == nil && 'A' <= first[0] && first[0] <= 'Z':
		w.conns <- p
	case err == nil && first[0] == '*':
		serveRedis(p)
	default:
		c.Close()
	}
}

// serve answers a request as the session says.
func (w *hostWorld) serve(to http.ResponseWriter, r *http.Request) {
	host, s := w.host(r.Context().Value(http.LocalAddrContextKey).(net.Addr)), w.now.Load()
	if a := s.answerTo(host, r); a != nil {
		a.write(to)
	} else {
		remote(to, r)
	}
}

// host is the name whose address a client has connected to.
func (w *hostWorld) host(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return ""
	}
	return w.names.at(at.Addr())
}

// certificate is that of the name whose address a client has connected to, whatever name that client asks for.
func (w *hostWorld) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := w.host(hello.Conn.LocalAddr())
	if c, ok := w.certificates.Load(name); ok {
		return c.(*tls.Certificate), nil
	}
	own, err := world.Certify(&x509.Certificate{DNSNames: []string{name}}, &w.ca)
	if err != nil {
		return nil, err
	}
	c, _ := w.certificates.LoadOrStore(name, &own) // a browser gives up where each connection has another
	return c.(*tls.Certificate), nil
}

// peeked is a connection whose first bytes were looked at.
type peeked struct {
	net.Conn
	r *bufio.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.r.Read(b) }

// fed is a listener of connections that others accepted.
type fed struct{ conns chan net.Conn }

func (f *fed) Accept() (net.Conn, error) { return <-f.conns, nil }
func (f *fed) Close() error              { return nil }
func (f *fed) Addr() net.Addr            { return &net.TCPAddr{} }
