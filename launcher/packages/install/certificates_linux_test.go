package install

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// authority makes a certificate for 127.0.0.1 by an authority that no system knows, and the file of that.
func authority(t *testing.T) (own tls.Certificate, file string) {
	t.Helper()
	authority, err := world.Authority(&x509.Certificate{Subject: pkix.Name{CommonName: "tests"}})
	if err != nil {
		t.Fatal(err)
	}
	own, err = world.Certify(&x509.Certificate{Subject: pkix.Name{CommonName: "registry"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, &authority)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Leaf.Raw}), 0o644); err != nil {
		t.Fatal(err)
	}
	return own, file
}

// tlsRegistry is a registry with such a certificate, and the file of its authority.
func tlsRegistry(t *testing.T) (r *registrytest.Registry, file string) {
	t.Helper()
	own, file := authority(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r = registrytest.Serve(t, tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{own}}), good()...)
	r.URL = strings.Replace(r.URL, "http:", "https:", 1)
	return r, file
}

// The certificates of the user's configuration are taken along, and strict-ssl is not.
func TestCertificates(t *testing.T) {
	t.Parallel()
	r, file := tlsRegistry(t)
	h := newHome(t)
	at := "registry=" + r.URL + "\n"
	h.configure(t, at+"strict-ssl=false\n")
	h.refused(t, "npx -y good", "certificate")
	h.configure(t, at+"cafile="+file+"\n")
	if p := h.must(t, "npx -y good").Package; p.Registry != r.URL {
		t.Errorf("from %s", p.Registry)
	}
}
