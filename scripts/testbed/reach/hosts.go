package reach

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
)

// hosts are what the server may reach, on this machine's loopback: the proxy, which is every host with a name, and one
// without a proxy.
type hosts struct {
	proxy, local net.Listener // nil where this machine gives no socket
	mutex        sync.Mutex
	targets      []string // that the proxy was asked for
}

func listen() (*hosts, error) {
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return &hosts{}, err
	}
	local, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		proxy.Close()
		return &hosts{}, err
	}
	h := &hosts{proxy: proxy, local: local}
	go each(proxy, h.tunnel)
	go each(local, func(_ net.Conn, from *bufio.Reader) string { return answer("localhost", from) })
	return h, nil
}

func (h *hosts) close() {
	if h.proxy != nil {
		h.proxy.Close()
		h.local.Close()
	}
}

// portOf is a listener's, or one that nobody listens on.
func portOf(l net.Listener) string {
	if l == nil {
		return "1"
	}
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// port is that of the host without a proxy.
func (h *hosts) port() string { return portOf(h.local) }

func (h *hosts) asked() string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return strings.Join(h.targets, " ")
}

// each answers every connection with a line.
func each(l net.Listener, with func(net.Conn, *bufio.Reader) string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			fmt.Fprintln(c, with(c, bufio.NewReader(c)))
		}()
	}
}

// tunnel is the host that a client asks the proxy for: RFC 9110, 9.3.6.
func (h *hosts) tunnel(c net.Conn, from *bufio.Reader) string {
	request, _ := from.ReadString('\n')
	for line := request; strings.TrimSpace(line) != ""; {
		line, _ = from.ReadString('\n')
	}
	_, rest, _ := strings.Cut(request, "CONNECT ")
	target, _, _ := strings.Cut(rest, " ")
	h.mutex.Lock()
	h.targets = append(h.targets, target)
	h.mutex.Unlock()
	fmt.Fprint(c, "HTTP/1.1 200 OK\r\n\r\n")
	return answer(target, from)
}

// answer is a host's, with the client's line in it.
func answer(host string, from *bufio.Reader) string {
	line, _ := from.ReadString('\n')
	return host + " got " + strings.TrimSuffix(line, "\n")
}
