package registrytest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// An Index serves wheels as PEP 503 and PEP 691 say.
type Index struct {
	URL string // ends in a slash

	mu     sync.Mutex
	wheels []Wheel
	asked  []Request
	behave Behaviour
	over   chan struct{}
}

// NewIndex starts an index on a port of 127.0.0.1, which the test's end stops.
func NewIndex(tb testing.TB, wheels ...Wheel) *Index {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	x := &Index{wheels: wheels, over: make(chan struct{})}
	s := httptest.NewUnstartedServer(http.HandlerFunc(x.serve))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	x.URL = s.URL + "/simple/"
	tb.Cleanup(func() {
		close(x.over)
		s.CloseClientConnections()
		s.Close()
	})
	return x
}

// Add adds archives.
func (x *Index) Add(wheels ...Wheel) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.wheels = append(x.wheels, wheels...)
}

// Behave changes what is wrong with the index. Token is NAME:PASSWORD here.
func (x *Index) Behave(b Behaviour) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.behave = b
}

// Asked are the requests so far.
func (x *Index) Asked() []Request {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.asked)
}

func (x *Index) serve(w http.ResponseWriter, q *http.Request) {
	x.mu.Lock()
	b, wheels := x.behave, slices.Clone(x.wheels)
	x.asked = append(x.asked, Request{q.URL.Path, q.Header.Get("Authorization")})
	x.mu.Unlock()
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(b.Token))
	if b.Token != "" && q.Header.Get("Authorization") != want {
		w.Header().Set("WWW-Authenticate", "Basic")
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	if name, ok := strings.CutPrefix(q.URL.Path, "/files/"); ok {
		x.file(w, q, b, wheels, name)
		return
	}
	if b.Hang == AtMetadata {
		b.hang(q, x.over)
		return
	}
	x.page(w, q, wheels, strings.Trim(strings.TrimPrefix(q.URL.Path, "/simple/"), "/"))
}

func (x *Index) file(w http.ResponseWriter, q *http.Request, b Behaviour, wheels []Wheel, name string) {
	i := slices.IndexFunc(wheels, func(o Wheel) bool { return o.file() == name })
	switch {
	case i < 0:
		http.NotFound(w, q)
		return
	case b.Hang == AtArchive:
		b.hang(q, x.over)
		return
	}
	archive := wheels[i].archive()
	if wheels[i].Change != nil {
		archive = wheels[i].Change(archive)
	}
	w.Write(archive[:len(archive)/2])
	if b.Hang == AmidArchive {
		w.(http.Flusher).Flush()
		b.hang(q, x.over)
		return
	}
	w.Write(archive[len(archive)/2:])
}

// page is the list of a package's archives, in the form that was asked for.
func (x *Index) page(w http.ResponseWriter, q *http.Request, wheels []Wheel, name string) {
	type file struct {
		Filename string            `json:"filename"`
		URL      string            `json:"url"`
		Hashes   map[string]string `json:"hashes"`
		Python   string            `json:"requires-python,omitempty"`
		Time     string            `json:"upload-time,omitempty"`
	}
	var files []file
	links := ""
	for _, o := range wheels {
		if o.Name != name {
			continue
		}
		f := file{Filename: o.file(), URL: strings.TrimSuffix(x.URL, "simple/") + "files/" + o.file(),
			Hashes: map[string]string{}, Python: o.Python}
		if o.Place != "" {
			f.URL = o.Place + o.file()
		}
		hash := o.hash(o.archive())
		if kind, sum, ok := strings.Cut(hash, "="); ok {
			f.Hashes[kind] = sum
		}
		if o.Uploaded.IsZero() {
			o.Uploaded = time.Now().AddDate(-1, 0, 0)
		}
		f.Time = o.Uploaded.UTC().Format("2006-01-02T15:04:05.000000Z")
		files = append(files, f)
		links += fmt.Sprintf("<a href=\"%s#%s\" data-requires-python=\"%s\">%s</a>\n", f.URL, hash,
			html.EscapeString(o.Python), f.Filename)
	}
	if files == nil {
		http.NotFound(w, q)
		return
	}
	if !strings.Contains(q.Header.Get("Accept"), "v1+json") {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, links)
		return
	}
	w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
	json.NewEncoder(w).Encode(map[string]any{"meta": map[string]string{"api-version": "1.1"}, "name": name,
		"files": files})
}
