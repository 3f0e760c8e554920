// Package registrytest is a registry of packages for tests: it serves good packages, and those that nobody should have
// to install. No program links it.
//
//	r := registrytest.New(t, registrytest.Package{Name: "x", Version: "1.0.0"})
//	os.Setenv("npm_config_registry", r.URL)
package registrytest

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Registry speaks the protocol of npm over plain HTTP, on a port of 127.0.0.1 unless [Registry.Listen] was used.
type Registry struct {
	URL string // ends in a slash

	mu       sync.Mutex
	packages []Package
	asked    []Request
	behave   Behaviour
	over     chan struct{} // closed when the test has ended
}

// A Request is what somebody asked for.
type Request struct{ Path, Authorization string }

// Behaviour is what is wrong with a registry. The zero value is a good one.
type Behaviour struct {
	Token    string        // the bearer that every request needs
	Denial   int           // the status without it; 0: 401
	Hang     Moment        // when it falls silent
	Silent   func()        // is called when it has fallen silent, once for each request
	Redirect string        // a URL to which other archives are redirected
	Slow     time.Duration // before each piece of an archive, of which there are four
}

// A Moment is a point of an install at which a registry falls silent.
type Moment int

const (
	Never Moment = iota
	AtMetadata
	AtArchive   // before a byte of an archive
	AmidArchive // after half of it
)

func (m Moment) String() string {
	return [...]string{"never", "at metadata", "at an archive", "amid an archive"}[m]
}

// New starts a registry, which the test's end stops.
func New(tb testing.TB, packages ...Package) *Registry {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	return Serve(tb, l, packages...)
}

// Serve starts a registry on a listener.
func Serve(tb testing.TB, l net.Listener, packages ...Package) *Registry {
	tb.Helper()
	r := &Registry{packages: packages, over: make(chan struct{})}
	s := httptest.NewUnstartedServer(http.HandlerFunc(r.serve))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	r.URL = s.URL + "/"
	tb.Cleanup(func() {
		close(r.over)
		s.CloseClientConnections()
		s.Close()
	})
	return r
}

// Add adds packages; one of the same name and version is replaced.
func (r *Registry) Add(packages ...Package) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range packages {
		same := func(o Package) bool { return o.Name == p.Name && o.Version == p.Version }
		r.packages = slices.DeleteFunc(r.packages, same)
	}
	r.packages = append(r.packages, packages...)
}

// Behave changes what is wrong with the registry.
func (r *Registry) Behave(b Behaviour) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.behave = b
}

// Asked are the requests so far.
func (r *Registry) Asked() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

func (r *Registry) serve(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	b, packages := r.behave, slices.Clone(r.packages)
	r.asked = append(r.asked, Request{q.URL.Path, q.Header.Get("Authorization")})
	r.mu.Unlock()
	if b.Token != "" && q.Header.Get("Authorization") != "Bearer "+b.Token {
		if b.Denial == 0 {
			b.Denial = http.StatusUnauthorized
		}
		http.Error(w, "{}", b.Denial)
		return
	}
	name := strings.TrimPrefix(q.URL.Path, "/")
	if name, archive, ok := strings.Cut(name, "/-/"); ok {
		r.archive(w, q, b, packages, name, archive)
		return
	}
	if b.Hang == AtMetadata {
		b.hang(q, r.over)
		return
	}
	if name, tag, ok := cutLast(name); ok {
		r.one(w, packages, name, tag)
		return
	}
	r.metadata(w, packages, name)
}

// cutLast takes NAME/TAG apart, and no @SCOPE/NAME.
func cutLast(path string) (name, tag string, found bool) {
	i := strings.LastIndex(path, "/")
	if i < 0 || path[0] == '@' && strings.Count(path, "/") == 1 {
		return "", "", false
	}
	return path[:i], path[i+1:], true
}

// one is what the registry says of a version, or of that which a tag names.
func (r *Registry) one(w http.ResponseWriter, packages []Package, name, tag string) {
	for _, p := range slices.Backward(packages) {
		if p.Name == name && (tag == "latest" || tag == p.Version) {
			json.NewEncoder(w).Encode(r.document(&p))
			return
		}
	}
	http.Error(w, `{"error":"Not found"}`, http.StatusNotFound)
}

// document is what the registry says of a version.
func (r *Registry) document(p *Package) map[string]any {
	d := p.document(false)
	d["dist"] = p.dist(p.archive(), r.URL+p.Name+"/-/"+p.Version+".tgz")
	return d
}

// hang waits for the client or the test to go.
func (b *Behaviour) hang(q *http.Request, over <-chan struct{}) {
	if b.Silent != nil {
		b.Silent()
	}
	select {
	case <-q.Context().Done():
	case <-over:
	}
}

// metadata is all that the registry says of a package.
func (r *Registry) metadata(w http.ResponseWriter, packages []Package, name string) {
	versions, times, latest := map[string]any{}, map[string]string{}, ""
	for _, p := range packages {
		if p.Name != name {
			continue
		}
		versions[p.Version], latest = r.document(&p), p.Version
		if p.Published.IsZero() {
			p.Published = time.Now().AddDate(-1, 0, 0)
		}
		times[p.Version] = p.Published.UTC().Format(time.RFC3339)
	}
	if latest == "" {
		http.Error(w, `{"error":"Not found"}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]string{"latest": latest},
		"versions": versions, "time": times})
}

func (r *Registry) archive(w http.ResponseWriter, q *http.Request, b Behaviour, packages []Package, name, file string) {
	i := slices.IndexFunc(packages, func(p Package) bool { return p.Name == name && p.Version+".tgz" == file })
	switch {
	case i < 0:
		http.NotFound(w, q)
	case b.Redirect != "" && !strings.HasPrefix(r.URL+strings.TrimPrefix(q.URL.Path, "/"), b.Redirect):
		http.Redirect(w, q, b.Redirect+url.PathEscape(file), http.StatusFound)
	case b.Hang == AtArchive:
		b.hang(q, r.over)
	default:
		r.send(w, q, b, packages[i])
	}
}

// send sends an archive in four pieces.
func (r *Registry) send(w http.ResponseWriter, q *http.Request, b Behaviour, p Package) {
	bytes := p.archive()
	if p.Change != nil {
		bytes = p.Change(bytes)
	}
	for i := range 4 {
		select {
		case <-time.After(b.Slow):
		case <-r.over:
			return
		}
		if i == 2 && b.Hang == AmidArchive {
			b.hang(q, r.over)
			return
		}
		w.Write(bytes[len(bytes)*i/4 : len(bytes)*(i+1)/4])
		w.(http.Flusher).Flush()
	}
}
