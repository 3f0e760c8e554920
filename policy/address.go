package policy

import "net/netip"

// unreachable are the addresses that no entry can name, each with what is said of it. None of them can be opened by any
// key, but for the host's loopback, which has a word of its own.
var unreachable = [...]struct{ prefix, why string }{
	{"127.0.0.0/8", theLoopback},
	{"::1/128", theLoopback},
	{"0.0.0.0/8", "is no address of a host (RFC 1122, 3.2.1.3)"},
	{"::/128", "is no address of a host (RFC 4291, 2.5.2)"},
	{"255.255.255.255/32", "is every host of a network, and no single one"},
	{"224.0.0.0/4", "is a multicast address, and only TCP can be allowed"},
	{"ff00::/8", "is a multicast address, and only TCP can be allowed"},

	// Metadata services of clouds, which hand out credentials: AWS, GCP, Azure and most others, Alibaba, Azure's wire
	// server, Oracle, and those over IPv6.
	{"169.254.0.0/16", "is link-local, where clouds have their metadata service, which nothing opens"},
	{"fe80::/10", "is link-local, which nothing opens"},
	{"100.100.100.200/32", theMetadata},
	{"168.63.129.16/32", theMetadata},
	{"192.0.0.192/32", theMetadata},
	{"fd00:ec2::/32", theMetadata},
	{"fd20:ce::254/128", theMetadata},
	{"fd00:c1::a9fe:a9fe/128", theMetadata},
	{"fd00:42::42/128", theMetadata},
	{"fd00:a9fe:a9fe::1/128", theMetadata},
	{"fd00:100::100:200/128", theMetadata},

	// The sandbox answers with these for names, and never dials them.
	{"198.18.0.0/15", theSandbox},
	{"fd6d:6370:7362::/48", theSandbox},

	// IPv4 in another dress.
	{"::ffff:0:0/96", theEmbedded},
	{"::ffff:0:0:0/96", theEmbedded},
	{"::/96", theEmbedded},
	{"64:ff9b::/96", theEmbedded},
	{"64:ff9b:1::/48", theEmbedded},
	{"2002::/16", theEmbedded},
	{"2001::/32", theEmbedded},
}

const (
	theLoopback = "is the loopback address: write localhost:PORT for that port of this machine"
	theMetadata = "is the address of a cloud's metadata service, which nothing opens"
	theSandbox  = "is an address of the sandbox's own network, and of no host"
	theEmbedded = "is an IPv6 address that holds an IPv4 one: write the IPv4 address"
)

// checkAddress checks an address that an entry names. s is for the error.
func checkAddress(a netip.Addr, s string) error {
	for _, u := range &unreachable {
		// A Prefix as a variable of the package would be made at every start.
		if p, err := netip.ParsePrefix(u.prefix); err == nil && p.Contains(a) {
			return invalid(s, u.why)
		}
	}
	return nil
}
