package why

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// setHost takes HOST, HOST:PORT, an address, or an address of IPv6 in brackets with a port behind.
func setHost(q *order.Question) func(string) error {
	return func(s string) error {
		host, port := s, ""
		if strings.Contains(s, "/") || strings.HasPrefix(s, ":") {
			return errors.New(strconv.Quote(s) +
				" is no HOST:PORT: write the name or the address alone, as in example.com:443")
		}
		if strings.HasPrefix(s, "[") || strings.Count(s, ":") == 1 {
			var err error
			if host, port, err = net.SplitHostPort(s); err != nil && strings.HasSuffix(s, "]") {
				host, port, err = s[1:len(s)-1], "", nil
			}
			if err != nil {
				return errors.New(strconv.Quote(s) + " is no HOST:PORT")
			}
			if port != "" || !strings.HasSuffix(s, "]") {
				n, err := strconv.ParseUint(port, 10, 16)
				if err != nil || n == 0 {
					return errors.New(strconv.Quote(port) + " is no port: a number from 1 to 65535")
				}
				q.Port = uint16(n)
			}
		}
		return launchflags.Once(&q.Host)(host)
	}
}

// lookUpTime is how long an answer waits for the addresses of a name.
const lookUpTime = 3 * time.Second

// lookUp finds the addresses of the host that is asked about, for an allowed name may lead to one that is not. The
// result is false for a name that has none. A server would look the name up as well.
func lookUp(q *order.Question) bool {
	if _, err := netip.ParseAddr(q.Host); q.Host == "" || err == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookUpTime)
	defer cancel()
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", q.Host)
	for _, a := range all {
		q.Found = append(q.Found, a.Unmap())
	}
	failed, ok := errors.AsType[*net.DNSError](err)
	return !ok || !failed.IsNotFound
}
