package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A mirror is a registry on loopback that remembers what the real one answered, so that a first start is not measured
// by the answer times of a server far away.
type mirror struct {
	url   string
	asked atomic.Int64 // requests that the real one answered

	from   string
	server *http.Server
	mu     sync.Mutex
	known  map[string]*page
}

type page struct {
	header http.Header
	body   []byte
}

// newMirror is one of the registry that npm asks.
func newMirror(b *bench) (*mirror, error) {
	c := b.command("npm", "config", "get", "registry")
	c.Env = append(c.Env, "npm_config_loglevel=silent")
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", c.Args, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &mirror{url: "http://" + l.Addr().String() + "/", from: strings.TrimSpace(string(out)),
		known: map[string]*page{}}
	m.server = &http.Server{Handler: http.HandlerFunc(m.serve)}
	go m.server.Serve(l)
	return m, nil
}

func (m *mirror) close() { m.server.Close() }

func (m *mirror) serve(w http.ResponseWriter, q *http.Request) {
	p, err := m.page(q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	for _, name := range []string{"Content-Type", "Cache-Control", "Etag"} {
		if value := p.header.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}
	http.ServeContent(w, q, "", time.Time{}, bytes.NewReader(p.body))
}

// page is an answer for a path. In documents the mirror's URL stands for that of the registry: a mirror serves the
// archives, too.
func (m *mirror) page(q *http.Request) (*page, error) {
	key := q.URL.RequestURI() + " " + q.Header.Get("Accept")
	m.mu.Lock()
	p := m.known[key]
	m.mu.Unlock()
	if p != nil {
		return p, nil
	}
	m.asked.Add(1)
	far, err := http.NewRequestWithContext(q.Context(), http.MethodGet,
		strings.TrimSuffix(m.from, "/")+q.URL.RequestURI(), nil)
	if err != nil {
		return nil, err
	}
	far.Header.Set("Accept", q.Header.Get("Accept"))
	answer, err := http.DefaultClient.Do(far)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(answer.Status)
	}
	if err != nil {
		return nil, err
	}
	if strings.Contains(answer.Header.Get("Content-Type"), "json") {
		body = bytes.ReplaceAll(body, []byte(m.from), []byte(m.url))
	}
	p = &page{answer.Header, body}
	m.mu.Lock()
	m.known[key] = p
	m.mu.Unlock()
	return p, nil
}
