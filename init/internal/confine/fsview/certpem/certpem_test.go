package certpem

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"
)

// made is a certificate of a new authority, and its key.
func made(t testing.TB) (certificate, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "Acme"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC)}
	if certificate, err = x509.CreateCertificate(rand.Reader, c, c, k.Public(), k); err != nil {
		t.Fatal(err)
	}
	if key, err = x509.MarshalPKCS8PrivateKey(k); err != nil {
		t.Fatal(err)
	}
	return certificate, key
}

func block(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestOnly(t *testing.T) {
	a, key := made(t)
	b, _ := made(t)
	A, B, K := block("CERTIFICATE", a), block("CERTIFICATE", b), block("PRIVATE KEY", key)
	inside := func(body string) string {
		return begin + "CERTIFICATE" + dashes + "\n" + body + end + "CERTIFICATE" + dashes + "\n"
	}
	body := strings.TrimSuffix(strings.TrimPrefix(A, begin+"CERTIFICATE"+dashes+"\n"), end+"CERTIFICATE"+dashes+"\n")
	long := append([]byte{0x30, 0x83, 0}, a[2:]...) // the length in a byte more than it takes
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"one", A, A},
		{"several, with comments", "# Acme\nsubject=CN=Acme\n" + A + "\n\nthe other:\n" + B + "end", A + B},
		{"no line break at the end", strings.TrimSpace(A), A},
		{"CRLF", strings.ReplaceAll(A+B, "\n", "\r\n"), A + B},
		{"spaces", strings.ReplaceAll(A, "\n", " \t\n"), A},
		{"the old name", block("X509 CERTIFICATE", a), A},
		{"one line", inside(strings.ReplaceAll(body, "\n", "") + "\n"), A},
		{"a key between", A + K + B, A + B},
		{"a key alone", K, ""},
		{"a key of OpenSSH", block("OPENSSH PRIVATE KEY", key), ""},
		{"a key called a certificate", block("CERTIFICATE", key), ""},
		{"a key behind the bytes", block("CERTIFICATE", append(bytes.Clone(a), key...)), ""},
		{"a byte less", block("CERTIFICATE", a[:len(a)-1]), ""},
		{"a length that is not minimal", block("CERTIFICATE", long), ""},
		{"a certificate in a certificate's place", block("CERTIFICATE", append([]byte{0x30, 0x82, byte(len(a) >> 8), byte(len(a))}, a...)), ""},
		{"trusted", block("TRUSTED CERTIFICATE", a), ""},
		{"a request", block("CERTIFICATE REQUEST", a), ""},
		{"headers", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Headers: map[string]string{"Token": "secret"}, Bytes: a})), ""},
		{"a comment within", inside("# secret\n" + body), ""},
		{"base64 behind the padding", inside(body + "c2VjcmV0\n"), ""},
		{"another end", strings.Replace(A, end+"CERTIFICATE", end+"X509 CERTIFICATE", 1), ""},
		{"a begin without an end", begin + "CERTIFICATE" + dashes + "\nc2VjcmV0\n" + A, A},
		{"not at the start of a line", " " + A, ""},
		{"no text", "\x00\xff\n" + strings.Repeat("=", 5), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(Only([]byte(c.text))); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// The authorities of this machine are all taken, as crypto/x509 and encoding/pem read them.
func TestMachine(t *testing.T) {
	text, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	if err != nil {
		t.Skip(err)
	}
	var want bytes.Buffer
	for b, rest := pem.Decode(text); b != nil; b, rest = pem.Decode(rest) {
		pem.Encode(&want, &pem.Block{Type: "CERTIFICATE", Bytes: b.Bytes})
	}
	if !bytes.Equal(Only(text), want.Bytes()) {
		t.Error("not the same certificates")
	}
}

// What is shown are blocks that encoding/pem reads, whose bytes stood in the text, and they stay the same when they are
// read again.
func FuzzOnly(f *testing.F) {
	der, key := made(f)
	f.Add([]byte(block("CERTIFICATE", der) + block("PRIVATE KEY", key)))
	f.Add(bytes.ReplaceAll([]byte(block("X509 CERTIFICATE", der)), []byte("\n"), []byte("\r\n")))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := Only(text)
		if !bytes.Equal(Only(got), got) {
			t.Fatalf("not the same again: %q", got)
		}
		var again []byte
		for b, rest := pem.Decode(got); b != nil; b, rest = pem.Decode(rest) {
			again = append(again, pem.EncodeToMemory(b)...)
			if b.Type != "CERTIFICATE" || !isCertificate(b.Bytes) {
				t.Fatalf("a block %q", b.Type)
			}
		}
		if !bytes.Equal(again, got) {
			t.Fatalf("more than blocks: %q", got)
		}
	})
}

// Bytes of another structure are no certificate, wherever one of them was changed: at most the bodies may differ.
func TestStructure(t *testing.T) {
	der, _ := made(t)
	for i := range 2 {
		bad := bytes.Clone(der)
		bad[i] ^= 1
		if isCertificate(bad) {
			t.Errorf("byte %d changed", i)
		}
	}
	for n := range der {
		if isCertificate(der[:n]) {
			t.Errorf("%d bytes", n)
		}
	}
}
