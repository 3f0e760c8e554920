package principal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

const (
	issuerTimeout = 10 * time.Second
	keysEvery     = 10 * time.Second
)

// seldom asks the issuer for its keys no more often than every so often: each token that no key fits asks for them.
type seldom struct {
	least time.Duration
	mu    sync.Mutex
	next  time.Time
}

// RoundTrip implements [http.RoundTripper].
func (s *seldom) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	early := r.Response == nil && time.Now().Before(s.next) // a redirection is the same question
	if !early {
		s.next = time.Now().Add(s.least)
	}
	s.mu.Unlock()
	if early {
		return nil, errors.New("the issuer's keys were asked for just now")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// OpenID is the source of an issuer's tokens for an audience: the principal is a claim.
func OpenID(ctx context.Context, issuer, audience, claim string) (Source, error) {
	u, err := url.Parse(issuer)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(u.Hostname())) {
		return Source{}, fmt.Errorf("--oidc-issuer %s: an https address, or http on loopback", issuer)
	}
	seldom := &seldom{}
	ctx = oidc.ClientContext(ctx, &http.Client{Timeout: issuerTimeout, Transport: seldom})
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return Source{}, fmt.Errorf("--oidc-issuer %s: %w", issuer, err)
	}
	seldom.least = keysEvery
	verifier := provider.Verifier(&oidc.Config{ClientID: audience, SupportedSigningAlgs: []string{oidc.RS256,
		oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}})
	return always(func(r *http.Request) (string, error) {
		raw, err := bearer(r)
		if err != nil {
			return "", err
		}
		token, err := verifier.Verify(r.Context(), raw)
		if err != nil {
			return "", err
		}
		claims := map[string]any{}
		if err := token.Claims(&claims); err != nil {
			return "", err
		}
		if claim == "email" && claims["email_verified"] != true {
			return "", errors.New("the e-mail address is not verified")
		}
		who, _ := claims[claim].(string)
		return who, nil
	}), nil
}

// IsLoopback reports whether a name or an address is this machine's own.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
