// Package principal finds the principal of a request.
//
//	name, err := source.Of(request) // for each request
//
// A source is a file of tokens, a certificate authority, an OpenID issuer, a proxy of a known user, the peer of a unix
// socket, or this machine's loopback. No header of a client's counts but what a source names.
package principal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/sys/unix"
)

// A Source finds the principal of a request.
type Source struct {
	of  func(r *http.Request) (string, error)
	May func(who string) bool // whether a principal that had a session may still come
}

func always(of func(r *http.Request) (string, error)) Source {
	return Source{of, func(string) bool { return true }}
}

// Of is the principal, or [ErrForeign], or any other error of a request without one.
func (s Source) Of(r *http.Request) (string, error) {
	who, err := s.of(r)
	if err == nil && !Valid(who) {
		err = errNone
	}
	return who, err
}

// ErrForeign is the error of a connection by which no principal comes, whatever the request says.
var ErrForeign = errors.New("the peer is not the proxy")

var errNone = errors.New("no principal")

const longestName = 255

// Valid reports whether a principal can have a name.
func Valid(who string) bool {
	return who != "" && len(who) <= longestName && utf8.ValidString(who) &&
		!strings.ContainsFunc(who, unicode.IsControl)
}

// Local is the source of a loopback address: every user of this machine is one principal.
func Local() Source { return always(func(*http.Request) (string, error) { return "local", nil }) }

type peerKey struct{}

// Connected notes in a connection's context which user is at the other end of a unix socket; unix(7), SO_PEERCRED.
func Connected(ctx context.Context, c net.Conn) context.Context {
	if uid, ok := peer(c); ok {
		return context.WithValue(ctx, peerKey{}, uid)
	}
	return ctx
}

func peer(c net.Conn) (uid int, ok bool) {
	u, isUnix := c.(*net.UnixConn)
	if !isUnix {
		return 0, false
	}
	if raw, err := u.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) {
			if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
				uid, ok = int(cred.Uid), true
			}
		})
	}
	return uid, ok
}

// Only is a listener of a unix socket that lets in connections of these users alone: others count for nothing.
func Only(l net.Listener, uids ...int) net.Listener { return only{l, uids} }

type only struct {
	net.Listener
	uids []int
}

func (l only) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, ok := peer(c); ok && slices.Contains(l.uids, uid) {
			return c, nil
		}
		c.Close()
	}
}

// Users is the source of a unix socket: each user of this machine is a principal.
func Users() Source {
	return always(func(r *http.Request) (string, error) {
		if uid, ok := r.Context().Value(peerKey{}).(int); ok {
			return "uid:" + strconv.Itoa(uid), nil
		}
		return "", errNone
	})
}

// Proxy is the source of a unix socket to which a proxy of that user connects, which names the principal in a header.
func Proxy(header string, uid int) Source {
	return always(func(r *http.Request) (string, error) {
		if r.Context().Value(peerKey{}) != uid {
			return "", ErrForeign
		}
		return single(r, header)
	})
}

// Certificates is the source of certificates that were verified: the single URI, or the common name.
func Certificates() Source {
	return always(func(r *http.Request) (string, error) {
		if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
			return "", errNone
		}
		leaf := r.TLS.PeerCertificates[0]
		if len(leaf.URIs) == 1 {
			return leaf.URIs[0].String(), nil
		} else if len(leaf.URIs) > 1 {
			return "", errNone
		}
		return leaf.Subject.CommonName, nil
	})
}

// single is a header that stands in a request once.
func single(r *http.Request, header string) (string, error) {
	if values := r.Header.Values(header); len(values) == 1 {
		return values[0], nil
	}
	return "", errNone
}

// bearer is the token of a request, from its header alone.
func bearer(r *http.Request) (string, error) {
	given, err := single(r, "Authorization")
	scheme, token, _ := strings.Cut(given, " ")
	if err == nil && (!strings.EqualFold(scheme, "Bearer") || token == "") {
		err = errNone
	}
	return token, err
}

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
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
