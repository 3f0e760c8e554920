package front

import (
	"net"
	"net/http"
	"net/netip"
	"sync"

	"golang.org/x/sys/unix"
)

// mostConnections is how many there may be at once. Others wait to be accepted.
const mostConnections = 4096

// connections bounds the connections: all together, which take at most half of the descriptors, and those of one
// address, or one /64 of IPv6, to a quarter of that, so that no client alone keeps others out. A unix socket has no
// addresses.
func connections() func(net.Conn, http.ConnState) {
	most := mostConnections
	if limit := (unix.Rlimit{}); unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil && limit.Cur/2 < mostConnections {
		most = int(limit.Cur / 2)
	}
	places := make(chan struct{}, most)
	var mu sync.Mutex
	of := map[netip.Addr]int{}
	return func(c net.Conn, at http.ConnState) {
		address, err := netip.ParseAddrPort(c.RemoteAddr().String())
		network, change := address.Addr().Unmap(), 1
		if network.Is6() { // of which one machine has as many addresses as it likes
			prefix, _ := network.Prefix(64)
			network = prefix.Addr()
		}
		switch at {
		case http.StateNew: // in the goroutine that accepts
			places <- struct{}{}
		case http.StateClosed:
			<-places
			change = -1
		default:
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if of[network] += change; of[network] == 0 {
			delete(of, network)
		}
		if change > 0 && err == nil && of[network] > max(most/4, 1) {
			c.Close()
		}
	}
}
