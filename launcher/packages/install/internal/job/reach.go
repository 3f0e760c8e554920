package job

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// errLoopback is about a registry that no sandbox reaches.
var errLoopback = errors.New("of the machine's own addresses a sandbox reaches 127.0.0.1 and ::1 alone")

// domains are the entries of allowedDomains that open the registries and nothing else. A name that leads to a private
// address is opened with that address, for the user's own configuration names it.
func (s *Settings) domains(ctx context.Context) ([]string, error) {
	var all []string
	for _, r := range s.Registries {
		u, err := url.Parse(r.URL)
		if err != nil {
			return nil, err
		}
		host, port, _ := net.SplitHostPort(place(u))
		a, err := netip.ParseAddr(host)
		switch {
		case host == "localhost" || host == "127.0.0.1" || host == "::1":
			all = append(all, "localhost:"+port)
		case err == nil && a.IsLoopback():
			return nil, fmt.Errorf("registry %s: %w", r.URL, errLoopback)
		default:
			all = append(all, net.JoinHostPort(host, port))
			if err != nil {
				all = append(all, privateOf(ctx, host, port)...)
			}
		}
	}
	return all, nil
}

// privateOf are the private addresses of a name. A name that does not resolve has none: the launch tells of it.
func privateOf(ctx context.Context, host, port string) (all []string) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	found, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for _, a := range found {
		if a = a.Unmap(); a.IsPrivate() || netip.MustParsePrefix("100.64.0.0/10").Contains(a) {
			all = append(all, net.JoinHostPort(a.String(), port))
		}
	}
	return all
}

// unreachable is why no registry that serves the packages can be reached from here; nil where one can. A failed install
// is looked at by that, for a package manager may say that a package is not there where no registry answers.
func (s *Settings) unreachable(ctx context.Context, specs []startline.Spec) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	var first error
	for _, r := range s.Registries {
		u, err := url.Parse(r.URL)
		serves := func(p startline.Spec) bool {
			return r.Scope == "" || s.of(p.Name) == r.URL
		}
		if err != nil || !slices.ContainsFunc(specs, serves) || r.Ignored {
			continue
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", place(u))
		if err == nil {
			conn.Close()
			return nil
		}
		if first == nil {
			first = fmt.Errorf("%s cannot be reached (%s): a first start takes the network; behind a proxy set "+
				"HTTPS_PROXY", u.Host, reason(err))
		}
	}
	return first
}

// reason returns the words of the kernel or of a nameserver for a connection that failed.
func reason(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		text = e.Err
	}
	if at := strings.LastIndex(text, ": "); at >= 0 {
		return text[at+2:]
	}
	return text
}

// probeWithin is how long a registry may take to accept a connection. A machine without a network shall not wait for
// the time limits of a package manager, which tries again and again.
const probeWithin = 8 * time.Second

// probe connects to the registry of most packages, and ends the install where no host answers.
func (s *Settings) probe(ctx context.Context, end context.CancelCauseFunc) {
	for _, r := range s.Registries {
		u, err := url.Parse(r.URL)
		if err != nil || r.Scope != "" {
			continue
		}
		conn, err := (&net.Dialer{Timeout: probeWithin}).DialContext(ctx, "tcp", place(u))
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() && ctx.Err() == nil {
			end(fmt.Errorf("%s does not answer: %w", place(u), err))
		}
		if err == nil {
			conn.Close()
		}
	}
}
