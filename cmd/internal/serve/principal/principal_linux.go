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
	"net"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// A Source finds the principal of a request.
type Source interface {
	// Of is the principal, or [ErrForeign], or any other error of a request without one.
	Of(r *http.Request) (string, error)
	// May reports whether a principal that had a session may still come.
	May(who string) bool
}

// ErrForeign is the error of a connection by which no principal comes, whatever the request says.
var ErrForeign = errors.New("the peer is not the proxy")

var errNone = errors.New("no principal")

// A Func is a source that takes no principal away.
type Func func(r *http.Request) (string, error)

// Of calls f.
func (f Func) Of(r *http.Request) (string, error) { return named(f(r)) }

// May is true.
func (f Func) May(string) bool { return true }

const longestName = 255

// named is a name that can be one of a principal's.
func named(who string, err error) (string, error) {
	if err == nil && Valid(who) {
		return who, nil
	}
	if err == nil {
		err = errNone
	}
	return "", err
}

// Valid reports whether a principal can have a name.
func Valid(who string) bool {
	return who != "" && len(who) <= longestName && utf8.ValidString(who) &&
		!strings.ContainsFunc(who, unicode.IsControl)
}

// Local is the source of a loopback address: every user of this machine is one principal.
func Local() Source { return Func(func(*http.Request) (string, error) { return "local", nil }) }

type peerKey struct{}

// Connected notes in a connection's context which user is at the other end of a unix socket; unix(7), SO_PEERCRED.
func Connected(ctx context.Context, c net.Conn) context.Context {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	if raw, err := u.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) {
			if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
				ctx = context.WithValue(ctx, peerKey{}, int(cred.Uid))
			}
		})
	}
	return ctx
}

// peer is the user at the other end; -1 for none.
func peer(r *http.Request) int {
	if uid, ok := r.Context().Value(peerKey{}).(int); ok {
		return uid
	}
	return -1
}

// Users is the source of a unix socket: each user of this machine is a principal.
func Users() Source {
	return Func(func(r *http.Request) (string, error) {
		if uid := peer(r); uid >= 0 {
			return "uid:" + strconv.Itoa(uid), nil
		}
		return "", errNone
	})
}

// Proxy is the source of a unix socket to which a proxy of that user connects, which names the principal in a header.
func Proxy(header string, uid int) Source {
	return Func(func(r *http.Request) (string, error) {
		if peer(r) != uid {
			return "", ErrForeign
		}
		if names := r.Header.Values(header); len(names) == 1 {
			return names[0], nil
		}
		return "", errNone
	})
}

// Certificates is the source of certificates that were verified: the single URI, or the common name.
func Certificates() Source {
	return Func(func(r *http.Request) (string, error) {
		if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
			return "", errNone
		}
		leaf := r.TLS.PeerCertificates[0]
		switch len(leaf.URIs) {
		case 0:
			return leaf.Subject.CommonName, nil
		case 1:
			return leaf.URIs[0].String(), nil
		}
		return "", errNone
	})
}

// bearer is the token of a request, from its header alone.
func bearer(r *http.Request) (string, error) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return "", errNone
	}
	scheme, token, ok := strings.Cut(given[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", errNone
	}
	return token, nil
}
