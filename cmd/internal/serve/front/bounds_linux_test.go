package front

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A timed connection knows until when it is read.
type timed struct {
	net.Conn
	mu    sync.Mutex
	until time.Time
}

func (c *timed) SetReadDeadline(at time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = at
	return c.Conn.SetReadDeadline(at)
}

type timedListener struct {
	net.Listener
	conns chan *timed
}

func (l *timedListener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	c := &timed{Conn: inner}
	if err == nil {
		l.conns <- c
	}
	return c, err
}

// A body that never comes holds no connection for longer than a body that comes, whether its request is let in or not.
func TestBodiesHaveDeadlines(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l, got := &timedListener{inner, make(chan *timed, 1)}, make(chan time.Time, 1)
	s := serverOf(nobodys().Config, 2, func(w http.ResponseWriter, r *http.Request) {
		c := <-l.conns
		c.mu.Lock()
		defer c.mu.Unlock()
		got <- c.until
	})
	go s.Serve(l)
	defer s.Close()
	c, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
	if until := testbed.Receive(t, "the request", got); until.IsZero() || time.Until(until) > ioTime {
		t.Errorf("the body is waited for until %v", until)
	}
}

// Bodies that no server takes are bounded for each principal, so that none takes the room of all.
func TestRoomForBodies(t *testing.T) {
	f := nobodys()
	for range 2 * ownBodies / f.Body { // short ones, in chunks
		r := httptest.NewRequest("POST", "/mcp", io.MultiReader(strings.NewReader("{}")))
		w := httptest.NewRecorder()
		if raw, _ := f.body(w, r, "cid"); raw == nil || r.ContentLength >= 0 {
			t.Fatalf("%d %d", r.ContentLength, w.Code)
		}
	}
	status := 0
	for n := 0; status == 0 && n < 1000; n++ {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(strings.Repeat("x", 1<<20)))
		w := httptest.NewRecorder()
		if raw, _ := f.body(w, r, "ann"); raw == nil {
			status = w.Code
		}
	}
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader("{}"))
	if raw, _ := f.body(httptest.NewRecorder(), r, "bob"); status != http.StatusTooManyRequests || raw == nil {
		t.Errorf("ann got %d in the end, bob's body was %q", status, raw)
	}
}

// Behind a body whose end two readers may see at different places no request follows.
func TestNothingSmuggled(t *testing.T) {
	s := httptest.NewUnstartedServer(nil)
	s.Config = Server(nobodys().Config)
	s.Start()
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(testbed.Patience()))
	fmt.Fprint(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"+
		"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if text, err := io.ReadAll(c); err != nil || strings.Count(string(text), "HTTP/1.1 ") != 1 {
		t.Errorf("%v %q", err, text)
	}
}
