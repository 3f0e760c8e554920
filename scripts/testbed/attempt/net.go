package attempt

import (
	"net"
	"time"
)

// dialTimeout bounds a connect that a packet filter swallows; a refusal by the kernel is at once.
const dialTimeout = 3 * time.Second

func netActions() map[string]action {
	return map[string]action{
		"tcp":  {"HOST:PORT", 1, 1, func(a []string) (Result, error) { return dial("tcp", a[0]) }},
		"udp":  {"HOST:PORT", 1, 1, func(a []string) (Result, error) { return dial("udp", a[0]) }},
		"unix": {"PATH|@NAME", 1, 1, func(a []string) (Result, error) { return dial("unix", a[0]) }},
	}
}

// dial connects and sends one word, so that a listener notices; a datagram's only sign of success is the absence of a
// refusal.
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
