package registrytest

import (
	"archive/zip"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/sumdb/note"
)

// A Module is one version of a module for Go, good unless a field says otherwise.
type Module struct {
	Path, Version string
	Mod           string            // further lines of go.mod
	Files         map[string]string // besides go.mod
	Raw           map[string]string // by the whole name in the archive

	Served map[string]string   // Files of the archive that is served, and not of that whose checksum is known
	Change func([]byte) []byte // of the bytes that are served
	Status int                 // of every answer; 0: 200
}

func (m *Module) mod() string { return "module " + m.Path + "\n\ngo 1.21\n" + m.Mod }

func (m *Module) archive() []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name, text string) {
		f, err := z.Create(name)
		must(err)
		_, err = f.Write([]byte(text))
		must(err)
	}
	add(m.Path+"@"+m.Version+"/go.mod", m.mod())
	for _, name := range sortedKeys(m.Files) {
		add(m.Path+"@"+m.Version+"/"+name, m.Files[name])
	}
	for _, name := range sortedKeys(m.Raw) {
		add(name, m.Raw[name])
	}
	must(z.Close())
	return out.Bytes()
}

// A Proxy serves modules as `go help goproxy` says, and has a database of checksums of what its modules should be.
type Proxy struct {
	URL      string
	Database string // for GOSUMDB

	mu      sync.Mutex
	modules []Module
	asked   []Request
	behave  Behaviour
	over    chan struct{}
	sums    http.Handler
}

// databaseName is what a database is called; no host has that name.
const databaseName = "sums.example"

// NewProxy starts a proxy on a port of 127.0.0.1, which the test's end stops.
func NewProxy(tb testing.TB, modules ...Module) *Proxy {
	tb.Helper()
	secret, public, err := note.GenerateKey(rand.Reader, databaseName)
	if err != nil {
		tb.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{modules: modules, over: make(chan struct{}), Database: public}
	p.sums = http.StripPrefix("/sumdb/"+databaseName, sumdb.NewServer(sumdb.NewTestServer(secret, p.sum)))
	s := httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	p.URL = s.URL + "/"
	tb.Cleanup(func() {
		close(p.over)
		s.CloseClientConnections()
		s.Close()
	})
	return p
}

// Add adds modules.
func (p *Proxy) Add(modules ...Module) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.modules = append(p.modules, modules...)
}

// Behave changes what is wrong with the proxy.
func (p *Proxy) Behave(b Behaviour) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.behave = b
}

// Asked are the requests so far.
func (p *Proxy) Asked() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// sum is what the database has of a module: the lines of a go.sum.
func (p *Proxy) sum(path, version string) ([]byte, error) {
	archive, mod, err := p.whole(path, version)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "mcp-sandbox-module-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.Write(archive); err != nil {
		return nil, err
	}
	sum, err := dirhash.HashZip(f.Name(), dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	modSum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(mod)), nil
	})
	return fmt.Appendf(nil, "%s %s %s\n%s %s/go.mod %s\n", path, version, sum, path, version, modSum), err
}

// whole is a module's archive and its go.mod, before anything was changed.
func (p *Proxy) whole(path, version string) (archive []byte, mod string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.modules {
		if m := &p.modules[i]; m.Path == path && m.Version == version {
			return m.archive(), m.mod(), nil
		}
	}
	return nil, "", fmt.Errorf("no module %s@%s", path, version)
}

func (p *Proxy) serve(w http.ResponseWriter, q *http.Request) {
	p.mu.Lock()
	b, modules := p.behave, slices.Clone(p.modules)
	p.asked = append(p.asked, Request{q.URL.Path, q.Header.Get("Authorization")})
	p.mu.Unlock()
	if strings.HasPrefix(q.URL.Path, "/sumdb/") {
		if !strings.HasSuffix(q.URL.Path, "/supported") {
			p.sums.ServeHTTP(w, q)
		}
		return
	}
	escaped, file, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/@v/")
	path, err := module.UnescapePath(escaped)
	if err != nil {
		http.NotFound(w, q)
		return
	}
	archive := strings.HasSuffix(file, ".zip")
	if b.Hang == AtMetadata && !archive || b.Hang == AtArchive && archive {
		b.hang(q, p.over)
		return
	}
	answer(w, q, modules, path, file)
}

// answer answers a question about a module.
func answer(w http.ResponseWriter, q *http.Request, modules []Module, path, file string) {
	var versions []string
	for i := range modules {
		m := &modules[i]
		if m.Path != path {
			continue
		}
		versions = append(versions, m.Version)
		if m.Status != 0 {
			http.Error(w, "no", m.Status)
			return
		}
		switch file {
		case m.Version + ".info":
			json.NewEncoder(w).Encode(map[string]any{"Version": m.Version, "Time": time.Now().Add(-time.Hour)})
			return
		case m.Version + ".mod":
			io.WriteString(w, m.mod())
			return
		case m.Version + ".zip":
			w.Write(m.served())
			return
		}
	}
	semver.Sort(versions)
	if file != "list" || versions == nil {
		http.NotFound(w, q)
		return
	}
	fmt.Fprintln(w, strings.Join(versions, "\n"))
}

// served are the bytes that are sent for an archive.
func (m *Module) served() []byte {
	other := *m
	if other.Served != nil {
		other.Files = other.Served
	}
	archive := other.archive()
	if m.Change != nil {
		archive = m.Change(archive)
	}
	return archive
}
