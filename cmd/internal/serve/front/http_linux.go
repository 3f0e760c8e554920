package front

import (
	"cmp"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
)

const aliveEvery = 15 * time.Second

// reply answers with a short text.
func reply(w http.ResponseWriter, status int, kind, text string) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(ioTime))
	if status == http.StatusAccepted || status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	if kind == "" {
		kind, text = "text/plain; charset=utf-8", cmp.Or(text, http.StatusText(status))+"\n"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	io.WriteString(w, text)
}

// invalid answers with an error of JSON-RPC.
func invalid(w http.ResponseWriter, id []byte, code int, text string, data any) {
	reply(w, http.StatusBadRequest, "application/json", string(wire.Failure(id, code, text, data)))
}

// answer writes the outcome of a call: an answer alone where it comes first and soon, else a stream.
func answer(w http.ResponseWriter, r *http.Request, s *session.Session, c *session.Call, soon time.Duration) {
	defer s.Leave(c)
	select {
	case <-c.Ready():
	case <-time.After(soon):
	case <-r.Context().Done():
	}
	message, ended := c.Take()
	if !ended || message == nil {
		stream(w, r, c.Stream, message, ended)
		return
	}
	status := http.StatusOK
	if m, err := wire.Parse(message); err == nil && s.Modern {
		status = cmp.Or(alone[m.Code()], status)
	}
	reply(w, status, "application/json", string(message))
}

// alone are the statuses of errors that stand alone from 2026-07-28 on.
var alone = map[int]int{wire.CodeNoMethod: http.StatusNotFound, wire.CodeParams: http.StatusBadRequest,
	wire.CodeHeaders: http.StatusBadRequest, wire.CodeCapability: http.StatusBadRequest,
	wire.CodeVersion: http.StatusBadRequest}

// stream writes messages as events until none follows, or the client is gone: this one first, nil for none. A message
// has no end of a line: each is one line of data, whatever a server wrote.
func stream(w http.ResponseWriter, r *http.Request, st *session.Stream, message []byte, ended bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.Header().Set("X-Accel-Buffering", "no")
	out, alive := http.NewResponseController(w), time.NewTicker(aliveEvery)
	defer alive.Stop()
	for ; ; message, ended = st.Take() {
		if message != nil && !event(w, out, message) {
			return
		}
		if message != nil && !ended {
			continue
		}
		out.SetWriteDeadline(time.Now().Add(ioTime))
		if out.Flush() != nil || ended {
			return
		}
		select {
		case <-st.Ready():
		case <-alive.C:
			io.WriteString(w, ": alive\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// event writes one event, and reports whether the client took it.
func event(w io.Writer, out *http.ResponseController, message []byte) bool {
	out.SetWriteDeadline(time.Now().Add(ioTime))
	_, err := (&net.Buffers{[]byte("event: message\ndata: "), message, []byte("\n\n")}).WriteTo(w)
	return err == nil
}

// health answers a supervisor.
func (f *front) health(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case r.URL.Path == "/healthz", r.URL.Path == "/readyz" && !f.House.Draining():
		reply(w, http.StatusOK, "", "ok")
	case r.URL.Path == "/readyz":
		reply(w, http.StatusServiceUnavailable, "", "draining")
	default:
		return false
	}
	return true
}

// describe says where tokens come from; RFC 9728.
func (f *front) describe(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusOK, "application/json",
		`{"resource":`+strconv.Quote(f.base(r)+path)+`,"authorization_servers":[`+
			strconv.Quote(f.Issuer)+`],"bearer_methods_supported":["header"]}`)
}

// base is this server's address as the client wrote it.
func (f *front) base(r *http.Request) string {
	if r.TLS != nil || f.HTTPS {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// mostConnections is how many there may be at once. Others wait to be accepted.
const mostConnections = 4096

// connections bounds the connections: all together, which take at most such a part of the descriptors, and those of
// one address, or one /64 of IPv6, to a quarter of that, so that no client alone keeps others out. A unix socket has no
// addresses.
func connections(part uint64) func(net.Conn, http.ConnState) {
	most := mostConnections
	if limit := (unix.Rlimit{}); unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil && limit.Cur/part < mostConnections {
		most = int(limit.Cur / part)
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
