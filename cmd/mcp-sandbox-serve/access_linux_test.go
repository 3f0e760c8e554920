package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Tokens: a principal that leaves the file is out at once and its sandboxes soon; a broken file changes nothing.
func TestTokens(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := launch(t, "legacy", "--token-file", file)
	ann, bob := s.session(headers[0]), s.session(headers[1])
	for _, header := range []string{"X: y", "Authorization: Basic " + headers[0][22:], headers[0] + "x", "Authorization: Bearer "} {
		if a := s.client(header).post(initialize).want(t, 401); !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%+v", a)
		}
	}
	s.client("X: y").send("GET", "").want(t, 401)
	write(t, file, "no line\n")
	testbed.Await(t, "the complaint", func() bool { return strings.Contains(s.said(), "a line is PRINCIPAL sha256:HEX") })
	ann.post(call("1", "echo", "", 0)).want(t, 200)
	write(t, file, strings.Split(string(whole), "\n")[3]+"\n")
	testbed.Await(t, "the end of ann", func() bool { return ann.post(call("1", "echo", "", 0)).status == 401 })
	if cause := s.awaitEnds(1); cause != "revoked" {
		t.Errorf("cause %s", cause)
	}
	bob.post(call("1", "echo", "", 0)).want(t, 200)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "the second complaint", func() bool { return strings.Contains(s.said(), "no such file") })
	bob.post(call("2", "echo", "", 0)).want(t, 200)
}

// A unix socket knows its users, and a proxy of a certain user names others.
func TestUnixSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testbed.Folder(t), "s")
	s := launch(t, "legacy", "--listen", "unix:"+path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	s.client().unix(path).post(initialize).want(t, 200)
	s.startedFor(fmt.Sprint("uid:", os.Getuid()))
	second := begin(t, "legacy", "--listen", "unix:"+path)
	if testbed.Receive(t, "the second one's end", second.ended); second.cmd.ProcessState.ExitCode() != 125 {
		t.Errorf("%s", second.said())
	}
	if code := s.stop(); code != 0 {
		t.Errorf("%d", code)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the socket is left")
	}
	for uid, status := range map[int]int{os.Getuid(): 200, os.Getuid() + 1: 403} {
		s := launch(t, "legacy", "--listen", "unix:"+path, "--proxy-header", "X-User", "--proxy-uid", fmt.Sprint(uid))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o666 { // the proxy's user may be another
			t.Errorf("%v %v", info, err)
		}
		s.client("X-User: ann").unix(path).post(initialize).want(t, status)
		if status == 200 {
			s.client().unix(path).post(initialize).want(t, 401)
			twice := s.client().unix(path)
			twice.header["X-User"] = []string{"ann", "ann"}
			twice.post(initialize).want(t, 401)
		}
		s.stop()
	}
}

// An issuer's tokens: for this audience, not expired, signed by its key, and by no other way of signing.
func TestOpenID(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	var fetched atomic.Int32
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		issuer := "http://" + r.Host
		if strings.HasSuffix(r.URL.Path, "openid-configuration") {
			fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q,"id_token_signing_alg_values_supported":["ES256","HS256","none"]}`, issuer, issuer+"/keys")
			return
		}
		fetched.Add(1)
		point, _ := key.PublicKey.Bytes()
		fmt.Fprintf(w, `{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","kid":"k","x":%q,"y":%q}]}`, b64(point[1:33]), b64(point[33:]))
	}))
	defer provider.Close()
	issuer := provider.URL
	token := func(alg string, change map[string]any) string {
		claims := map[string]any{"iss": issuer, "aud": "mcp", "sub": "ann", "exp": time.Now().Add(time.Hour).Unix(), "email": "a@b"}
		for name, value := range change {
			claims[name] = value
		}
		body, _ := json.Marshal(claims)
		text := b64([]byte(`{"alg":"`+alg+`","kid":"k"}`)) + "." + b64(body)
		sum := sha256.Sum256([]byte(text))
		switch alg {
		case "ES256":
			r, s, _ := ecdsa.Sign(rand.Reader, key, sum[:])
			return text + "." + b64(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
		case "HS256":
			point, _ := key.PublicKey.Bytes()
			mac := hmac.New(sha256.New, point)
			mac.Write([]byte(text))
			return text + "." + b64(mac.Sum(nil))
		}
		return text + "."
	}
	s := launch(t, "legacy", "--oidc-issuer", issuer, "--audience", "mcp")
	for name, try := range map[string]struct {
		alg    string
		change map[string]any
		status int
	}{
		"fine": {"ES256", nil, 200}, "expired": {"ES256", map[string]any{"exp": 1}, 401},
		"for others": {"ES256", map[string]any{"aud": "other"}, 401}, "of others": {"ES256", map[string]any{"iss": "http://x"}, 401},
		"nobody": {"ES256", map[string]any{"sub": ""}, 401}, "control": {"ES256", map[string]any{"sub": "a\nb"}, 401},
		"too long": {"ES256", map[string]any{"sub": strings.Repeat("x", 256)}, 401},
		"none":     {"none", nil, 401}, "by a known secret": {"HS256", nil, 401},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.client("Authorization: Bearer "+token(try.alg, try.change)).post(initialize).want(t, try.status)
			if h := a.header.Get("WWW-Authenticate"); try.status == 401 && !strings.Contains(h, "/.well-known/oauth-protected-resource/mcp") {
				t.Errorf("%s", h)
			}
		})
	}
	for n := range 50 { // of keys that the issuer does not have
		forged := token("ES256", map[string]any{"n": n})
		s.client("Authorization: Bearer "+forged[:len(forged)-8]+"AAAAAAAA").post(initialize).want(t, 401)
	}
	if n := fetched.Load(); n > 10 {
		t.Errorf("the keys were fetched %d times", n)
	}
	where := s.client()
	where.served = &served{TB: t, url: "http://" + s.addr() + "/.well-known/oauth-protected-resource/mcp"}
	where.send("GET", "").want(t, 200, `"authorization_servers":["`+issuer, `"resource":"`+s.url)
	behind := launch(t, "legacy", "--oidc-issuer", issuer, "--audience", "mcp", "--plain-http", "--allow-origin", "https://app.example")
	challenge := behind.client().post(initialize).want(t, 401).header.Get("WWW-Authenticate")
	if !strings.Contains(challenge, `resource_metadata="https://`+behind.addr()+"/.well-known/") {
		t.Error(challenge)
	}
	where = behind.client("Origin: https://app.example")
	where.served = &served{TB: t, url: "http://" + behind.addr() + "/.well-known/oauth-protected-resource/mcp"}
	a := where.send("GET", "").want(t, 200, `"resource":"https://`+behind.addr()+`/mcp"`)
	if a.header.Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Error(a.header)
	}
	for verified, status := range map[bool]int{true: 200, false: 401} {
		s := launch(t, "legacy", "--oidc-issuer", issuer, "--audience", "mcp", "--oidc-claim", "email")
		s.client("Authorization: Bearer "+token("ES256", map[string]any{"email_verified": verified})).post(initialize).want(t, status)
	}
}
