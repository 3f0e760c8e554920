package attempt

import (
	"net"
	"strings"
	"time"
)

// dialTimeout bounds a connect that a packet filter swallows; a refusal by the kernel is at once.
const dialTimeout = 3 * time.Second

func netActions() map[string]action {
	return map[string]action{
		"tcp":        {"HOST:PORT", 1, 1, func(a []string) (Result, error) { return dial("tcp", a[0]) }},
		"udp":        {"HOST:PORT", 1, 1, func(a []string) (Result, error) { return dial("udp", a[0]) }},
		"unix":       {"PATH|@NAME", 1, 1, func(a []string) (Result, error) { return dial("unix", a[0]) }},
		"interfaces": {"", 0, 0, interfaces},
	}
}

// dial connects and sends one word, so that a listener can tell that it was reached; a datagram's only sign of life is
// that nobody refused it.
func dial(network, address string) (Result, error) {
	c, err := net.DialTimeout(network, address, dialTimeout)
	if err != nil {
		return Result{}, err
	}
	defer c.Close()
	if _, err := c.Write([]byte("probe\n")); err != nil {
		return Result{}, err
	}
	return said("%v to %v", c.LocalAddr(), c.RemoteAddr())
}

func interfaces(_ []string) (Result, error) {
	names, err := interfaceNames()
	return Result{Detail: strings.Join(names, " ")}, err
}

// interfaceNames asks the kernel through netlink on Linux, so it works without /sys and /proc.
func interfaceNames() ([]string, error) {
	list, err := net.Interfaces()
	names := make([]string, len(list))
	for i, link := range list {
		names[i] = link.Name
	}
	return names, err
}
