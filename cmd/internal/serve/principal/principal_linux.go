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
