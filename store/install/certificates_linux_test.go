package install

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
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/store/install/registrytest"
)

// signed is a certificate of a new key, signed by another one; nil is for one that signs itself.
func signed(t *testing.T, c, by *x509.Certificate, with crypto.Signer) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	c.SerialNumber, c.BasicConstraintsValid = big.NewInt(time.Now().UnixNano()), true
	if by == nil {
		by, with = c, key
	}
	b, err := x509.CreateCertificate(rand.Reader, c, by, key.Public(), with)
	if err == nil {
		c, err = x509.ParseCertificate(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, key
}

// tlsRegistry is a registry whose certificate comes from an authority that no system knows, and the file of that.
func tlsRegistry(t *testing.T) (r *registrytest.Registry, file string) {
	t.Helper()
	authority, by := signed(t, &x509.Certificate{Subject: pkix.Name{CommonName: "tests"}, IsCA: true, KeyUsage: x509.KeyUsageCertSign},
		nil, nil)
	own, key := signed(t, &x509.Certificate{Subject: pkix.Name{CommonName: "registry"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, authority, by)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r = registrytest.Serve(t, tls.NewListener(l, &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{own.Raw}, PrivateKey: key}}}), good()...)
	r.URL = strings.Replace(r.URL, "http:", "https:", 1)
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw}), 0o644); err != nil {
		t.Fatal(err)
	}
	return r, file
}

// The certificates of the user's configuration are taken along, and strict-ssl is not.
func TestCertificates(t *testing.T) {
	long(t)
	r, file := tlsRegistry(t)
	test := func(t *testing.T, h *home, line, program string) {
		at := "registry=" + r.URL + "\n"
		h.configure(t, at+"strict-ssl=false\n")
		refusal := "certificate"
		if program == "bun" {
			refusal = "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
		}
		h.refused(t, line+"good", refusal)
		h.configure(t, at+"cafile="+file+"\n")
		h.options.Env = append(h.options.Env, "DENO_CERT="+file)
		if p := h.must(t, line+"good").Package; p.Registry != r.URL {
			t.Errorf("from %s", p.Registry)
		}
	}
	t.Run("npm", func(t *testing.T) {
		t.Parallel()
		test(t, newHome(t), "npx -y ", "npm")
	})
	eachKin(t, test)
}
