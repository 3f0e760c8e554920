package resolve

import (
	"net/netip"
	"strings"
	"time"
)

// conf is the contents of resolv.conf(5), as far as a stub resolver of absolute names needs them.
type conf struct {
	servers  []netip.Addr
	timeout  time.Duration // of one try
	attempts int           // tries at each server
	rotate   bool
	tcp      bool // use-vc
	search   []string
	usual    bool // no nameserver is named, and the servers are the machine itself
}

// Limits of resolv.conf(5) and of <resolv.h>: MAXNS, RES_MAXRETRANS, RES_MAXRETRY.
const (
	mostServers  = 3
	mostTimeout  = 30
	mostAttempts = 5
	mostSearched = 32
)

func parseConf(text string) conf {
	c := conf{timeout: 5 * time.Second, attempts: 2}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ';' || line[0] == '#' {
			continue
		}
		fields := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(blanks, r) })
		if len(fields) < 2 {
			continue
		}
		switch fields[0] {
		case "nameserver":
			if a, err := netip.ParseAddr(fields[1]); err == nil && len(c.servers) < mostServers {
				c.servers = append(c.servers, a)
			}
		case "search", "domain": // the last counts
			c.search = fields[1:min(len(fields), mostSearched+1)]
		case "options":
			for _, o := range fields[1:] {
				c.option(o)
			}
		}
	}
	if c.usual = len(c.servers) == 0; c.usual {
		c.servers = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	}
	return c
}

func (c *conf) option(o string) {
	switch name, value, _ := strings.Cut(o, ":"); name {
	case "timeout":
		c.timeout = time.Duration(number(value, mostTimeout)) * time.Second
	case "attempts":
		c.attempts = number(value, mostAttempts)
	case "rotate":
		c.rotate = true
	case "use-vc", "usevc", "tcp":
		c.tcp = true
	}
}

// number is the decimal number at the beginning of s, from 1 to most.
func number(s string, most int) (n int) {
	for i := 0; i < len(s) && '0' <= s[i] && s[i] <= '9' && n <= most; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return min(max(n, 1), most)
}
