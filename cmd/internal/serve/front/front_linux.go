// Package front is serve's HTTP: which requests are let in, and what goes back.
//
//	server := front.Server(front.Config{House: house, Who: source, Log: log, Body: 4 << 20})
//	server.Serve(listener)
//
// A request passes these in turn: headers that stand once, path, Host and Origin, method, principal, types, body,
// message. Only then a session is looked for. Every write has a deadline, and every read.
package front

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/principal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
)

// A Config is what a front stands in front of.
type Config struct {
	House    *session.House
	Who      principal.Source
	Log      *journal.Journal
	Body     int64         // the longest body
	Alone    time.Duration // how late an answer may come alone; later it is a stream's
	Loopback bool          // Host must be this machine's own name, or of Hosts
	Hosts    []string      // that may be asked for besides
	Origins  []string      // of web pages that may ask
	Issuer   string        // of tokens, for clients that look for it; "" for none
	HTTPS    bool          // a proxy in front has TLS
	Admin    bool          // health and metrics are elsewhere
}

type front struct {
	Config
	mu     sync.Mutex
	bodies map[string]int64 // bytes of each principal's bodies that no server has yet
	all    int64            // their sum
}

const (
	path       = "/mcp"
	metadata   = "/.well-known/oauth-protected-resource"
	headerTime = 10 * time.Second
	ioTime     = 30 * time.Second // of a body, and of each write
	idleTime   = time.Minute
	headerSize = 64 << 10
	ownBodies  = 16 << 20 // of one principal, or one body
	allBodies  = 256 << 20
)

func newFront(c Config) *front { return &front{Config: c, bodies: map[string]int64{}} }

// Server is the HTTP server of /mcp.
func Server(c Config) *http.Server { return serverOf(c, 2, newFront(c).serve) }

// Admin is the HTTP server of health and metrics alone.
func Admin(c Config) *http.Server {
	f := newFront(c)
	return serverOf(c, 8, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case f.health(w, r):
		case r.URL.Path == "/metrics":
			f.Log.Write(w)
		default:
			f.refuse(w, r, http.StatusNotFound, "", "")
		}
	})
}

// serverOf bounds everything that a client can draw out. HTTP/1 alone: one request holds one connection, and the
// connections are counted.
func serverOf(c Config, part uint64, serve http.HandlerFunc) *http.Server {
	s := &http.Server{ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: headerSize,
		ConnContext: principal.Connected, ErrorLog: c.Log.HTTP(), Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.ConnState = connections(part)
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control, until := http.NewResponseController(w), time.Now().Add(ioTime)
		control.SetWriteDeadline(until)
		if r.ContentLength != 0 { // of a refused request net/http reads the body too
			control.SetReadDeadline(until)
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if len(r.TransferEncoding) > 0 { // a Content-Length beside it is not seen here; RFC 9112, 6.1
			w.Header().Set("Connection", "close")
		}
		serve(w, r)
	})
	return s
}

// once are headers that may stand in a request once: of two, this program and another could go by different ones.
var once = [...]string{"Authorization", session1, version, "Mcp-Method", "Mcp-Name", "Origin", "Content-Type"}

const (
	session1 = "Mcp-Session-Id"
	version  = "Mcp-Protocol-Version"
)

func (f *front) serve(w http.ResponseWriter, r *http.Request) {
	f.Log.Log.Debug("request", "method", r.Method, "remote", r.RemoteAddr)
	for _, name := range once {
		if len(r.Header.Values(name)) > 1 {
			f.refuse(w, r, http.StatusBadRequest, "", "a header stands twice: "+name)
			return
		}
	}
	describes := f.Issuer != "" && strings.TrimSuffix(r.URL.Path, path) == metadata
	switch {
	case !f.Admin && f.health(w, r):
		return
	case r.URL.Path != path && (f.Admin || r.URL.Path != "/metrics") && !describes:
		f.refuse(w, r, http.StatusNotFound, "", "the endpoint is "+path)
		return
	case len(r.Header.Values("Mcp-Sandbox-Peer")) > 0:
		f.refuse(w, r, http.StatusForbidden, "peer", "")
		return
	case !f.fromHere(w, r):
		return
	case describes:
		f.describe(w, r)
		return
	}
	modern, methods := r.Header.Get(version) >= firstModern, "GET, POST, DELETE"
	if modern {
		methods = "POST"
	}
	who, err := f.Who.Of(r)
	switch {
	case errors.Is(err, principal.ErrForeign):
		f.refuse(w, r, http.StatusForbidden, "auth", "")
	case err != nil:
		challenge := "Bearer"
		if f.Issuer != "" {
			challenge += ` resource_metadata="` + f.base(r) + metadata + path + `"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
		f.refuse(w, r, http.StatusUnauthorized, "auth", "")
	case r.URL.Path == "/metrics":
		f.Log.Write(w)
	case r.Method == http.MethodPost:
		f.post(w, r, who)
	case modern || r.Method != http.MethodGet && r.Method != http.MethodDelete:
		w.Header().Set("Allow", methods)
		f.refuse(w, r, http.StatusMethodNotAllowed, "", "")
	default:
		f.ofSession(w, r, who)
	}
}

// ofSession answers GET and DELETE.
func (f *front) ofSession(w http.ResponseWriter, r *http.Request, who string) {
	s := f.find(w, r, who)
	switch {
	case s == nil:
	case r.Method == http.MethodDelete:
		s.End(session.CauseDeleted)
		reply(w, http.StatusNoContent, "", "")
	case !accepts(r, "text/event-stream"):
		f.refuse(w, r, http.StatusNotAcceptable, "", "Accept must have text/event-stream")
	default:
		c, err := s.Get()
		if err != nil {
			f.failed(w, r, err)
			return
		}
		defer s.Leave(c)
		stream(w, r, c.Stream, nil, false)
	}
}

// find is the session that a request names, or the request was answered. Another principal's is as unknown as one
// that never was.
func (f *front) find(w http.ResponseWriter, r *http.Request, who string) *session.Session {
	id := r.Header.Get(session1)
	if id == "" {
		f.refuse(w, r, http.StatusBadRequest, "", "no "+session1+": begin with a POST of initialize")
		return nil
	}
	s := f.House.Find(id, who)
	if s == nil {
		f.failed(w, r, session.ErrGone)
	}
	return s
}

// fromHere refuses requests of web pages that are not this server's own: by another name of this address, or by their
// Origin. Else it has answered.
func (f *front) fromHere(w http.ResponseWriter, r *http.Request) bool {
	host := (&url.URL{Host: r.Host}).Hostname()
	known := f.Loopback && principal.IsLoopback(host) || slices.ContainsFunc(f.Hosts, func(own string) bool {
		return strings.EqualFold(own, host) || strings.EqualFold(own, r.Host)
	})
	if (f.Loopback || len(f.Hosts) > 0) && !known {
		f.refuse(w, r, http.StatusForbidden, "host", "the Host is not this server's: --allow-host adds one")
		return false
	}
	origin := r.Header.Get("Origin")
	if len(r.Header.Values("Origin")) == 0 || origin == "http://"+r.Host || origin == "https://"+r.Host {
		return true
	}
	if !slices.Contains(f.Origins, origin) {
		f.refuse(w, r, http.StatusForbidden, "origin", "the Origin is not this server's: --allow-origin adds one")
		return false
	}
	for name, value := range map[string]string{"Allow-Origin": origin, "Allow-Methods": "GET, POST, DELETE",
		"Expose-Headers": session1 + ", WWW-Authenticate",
		"Allow-Headers":  "*, Authorization, Content-Type, Accept, Mcp-Method, Mcp-Name, " + session1 + "," + version} {
		w.Header().Set("Access-Control-"+name, value)
	}
	w.Header().Set("Vary", "Origin")
	if r.Method == http.MethodOptions {
		reply(w, http.StatusNoContent, "", "")
		return false
	}
	return true
}

// refuse answers, counts and logs a request that is not let in.
func (f *front) refuse(w http.ResponseWriter, r *http.Request, status int, reason, text string) {
	if reason != "" {
		f.Log.Refused(reason, r.RemoteAddr)
	}
	reply(w, status, "", text)
}
