package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// certify makes a certificate and its key, signed by another or itself.
func certify(t *testing.T, dir, name string, of *tls.Certificate, change func(*x509.Certificate)) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IsCA: of == nil, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}}
	if change != nil {
		change(c)
	}
	parent, signer := c, crypto.PrivateKey(key)
	if of != nil {
		parent, signer = of.Leaf, of.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert, secret := filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	write(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, secret, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	pair, err := tls.LoadX509KeyPair(cert, secret)
	if err != nil {
		t.Fatal(err)
	}
	return &pair
}

// Certificates name principals; the server's own is read again.
func TestCertificates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ca := certify(t, dir, "ca", nil, nil)
	certify(t, dir, "server", ca, nil)
	byName := certify(t, dir, "ann", ca, nil)
	byURI := certify(t, dir, "b", ca, func(c *x509.Certificate) { c.URIs = []*url.URL{{Scheme: "spiffe", Host: "team", Path: "/bob"}} })
	foreign := certify(t, dir, "eve", nil, nil)
	s := launch(t, "legacy", "--tls-cert", dir+"/server.pem", "--tls-key", dir+"/server.key", "--client-ca", dir+"/ca.pem")
	pool := x509.NewCertPool()
	pool.AddCert(ca.Leaf)
	by := func(c *tls.Certificate) *rawClient {
		own := s.client()
		config := &tls.Config{RootCAs: pool, ServerName: "localhost"}
		if c != nil {
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return c, nil }
		}
		own.http.Transport = &http.Transport{TLSClientConfig: config}
		return own
	}
	for who, c := range map[string]*tls.Certificate{"ann": byName, "spiffe://team/bob": byURI} {
		by(c).post(initialize).want(t, 200)
		s.startedFor(who)
	}
	by(nil).post(initialize).want(t, 401)
	if _, err := by(foreign).start(t.Context(), "POST", initialize); err == nil || !testbed.Comes(func() bool { return s.field("tls", "error") != nil }) {
		t.Error("a foreign certificate was taken, or is not in the log")
	}
	next := certify(t, dir, "server", ca, func(c *x509.Certificate) { c.SerialNumber = big.NewInt(77) })
	testbed.Await(t, "the new certificate", func() bool {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(s.addr(), "https://"), &tls.Config{RootCAs: pool, ServerName: "localhost",
			Certificates: []tls.Certificate{*byName}})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Cmp(next.Leaf.SerialNumber) == 0
	})
}
