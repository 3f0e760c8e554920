package publish_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// get is a page, by a connection of its own.
func get(tb testing.TB, url string) (string, error) {
	tb.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return string(b), err
}

// free is a port that nobody listens on, and that the kernel gives to nobody who asks for any; ip(7),
// ip_local_port_range.
func free(tb testing.TB) (port int) {
	tb.Helper()
	testbed.Await(tb, "a free port", func() bool {
		port = 10000 + rand.IntN(20000)
		l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
		if err == nil {
			l.Close()
		}
		return err == nil
	})
	return port
}

// The host reaches the published port, and no other of the server's, which has none of the launcher's sockets.
func TestPort(t *testing.T) {
	for _, test := range []struct {
		name string
		launch
	}{
		{"standard", launch{}}, {"strict", launch{Level: "strict"}},
		{"domains", launch{Domains: []string{"a.example:8443"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			port := free(t)
			test.Publish = []string{"0:3000", strconv.Itoa(port) + ":3000"}
			r := test.run(t, "http@127.0.0.1:3000", "http@127.0.0.1:3001")
			for _, at := range []string{r.address(0), "127.0.0.1:" + strconv.Itoa(port)} {
				if page, err := get(t, "http://"+at+"/a"); page != "page /a" || err != nil {
					t.Errorf("%s: %q, %v", at, page, err)
				}
			}
			for _, other := range []string{"3000", "3001"} {
				if c, err := net.Dial("tcp", "127.0.0.1:"+other); !errors.Is(err, syscall.ECONNREFUSED) {
					t.Errorf("port %s of the host: %v, %v", other, c, err)
				}
			}
			if r.ready != "ready 0 more sockets" {
				t.Errorf("the server has %s", r.ready)
			}
			r.end()
			if f := r.Fact(order.Network, "published 127.0.0.1:0:3000"); f.Got != r.address(0) || f.Want != f.Got {
				t.Errorf("the report has %+v", f)
			}
			if f := r.Fact(order.Network, "sockets for published ports"); f.Got != "8" {
				t.Errorf("the report has %+v", f)
			}
			if len(r.Denied) > 0 || len(r.Exited.Egress) > 0 {
				t.Errorf("denied %+v, egress %+v", r.Denied, r.Exited.Egress)
			}
		})
	}
}

// A server that waits for one request, as logging in with a browser does, ends behind its answer: all of that arrives.
func TestCallback(t *testing.T) {
	r := launch{Publish: []string{"0:8976"}}.run(t, "once@127.0.0.1:8976")
	page, err := get(t, "http://"+r.address(0)+"/callback?code=1234")
	if !strings.HasPrefix(page, "logged in") || len(page) != 9+1<<20 || err != nil {
		t.Errorf("%d bytes, %v", len(page), err)
	}
	if line, err := r.Said.ReadString('\n'); line != "GET /callback?code=1234 HTTP/1.1\n" || err != nil {
		t.Errorf("the server got %q, %v", line, err)
	}
	r.end()
	if c, err := net.Dial("tcp", r.address(0)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after the end: %v, %v", c, err)
	}
}

// Sockets do not run out: many more connections than are at hand, one after another, and all at once.
func TestManyAfterAnother(t *testing.T) {
	r := launch{Publish: []string{"0:3000"}}.run(t, "echo@127.0.0.1:3000")
	for i := range 200 {
		c := dial(t, r.address(0))
		says(t, c, "number "+strconv.Itoa(i))
		c.Close()
	}
	r.end()
}

func TestManyAtOnce(t *testing.T) {
	const most = 64
	r := launch{Publish: []string{"0:3000", "0:3001"}}.run(t, "echo@127.0.0.1:3000", "echo@127.0.0.1:3001")
	var all []*net.TCPConn
	for i := range most {
		c := dial(t, r.address(i%2))
		says(t, c, strconv.Itoa(i))
		all = append(all, c)
	}
	another := dial(t, r.address(0)) // waits in the listener's queue
	if _, err := io.WriteString(another, "another"); err != nil {
		t.Fatal(err)
	}
	for i, c := range all { // those that live are served meanwhile
		says(t, c, strconv.Itoa(i))
	}
	all[3].Close()
	b := make([]byte, len("another"))
	if _, err := io.ReadFull(another, b); err != nil || string(b) != "another" {
		t.Errorf("%q, %v", b, err)
	}
	r.end()
}

// Both ends of input are passed on, each behind the last byte.
func TestHalfClose(t *testing.T) {
	r := launch{Publish: []string{"0:3000"}}.run(t, "echo@127.0.0.1:3000")
	c := dial(t, r.address(0))
	sent := make([]byte, 8<<20)
	rand.NewChaCha8([32]byte{}).Read(sent)
	go func() {
		c.Write(sent)
		c.CloseWrite()
	}()
	got, err := io.ReadAll(c)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d of %d bytes came back, %v", len(got), len(sent), err)
	}
	r.end()
}

// Where nothing listens inside, the client gets a reset and no empty answer; nothing of that is the server's doing, so
// nothing is told as denied.
func TestNothingListens(t *testing.T) {
	for _, domains := range [][]string{nil, {"a.example:8443"}} {
		r := launch{Publish: []string{"0:3000", "0:3001"}, Domains: domains}.run(t, "echo@127.0.0.1:3001")
		for range 20 {
			c, err := net.Dial("tcp", r.address(0)) // which the reset may come before
			if err == nil {
				_, err = c.Read(make([]byte, 1))
				c.Close()
			}
			if !errors.Is(err, syscall.ECONNRESET) {
				t.Fatal(err)
			}
		}
		says(t, dial(t, r.address(1)), "the control")
		r.end()
		if len(r.Denied) > 0 {
			t.Errorf("%+v", r.Denied)
		}
	}
}

// A server that listens on ::1 alone is found there.
func TestServerOfIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here:", err)
	}
	l.Close()
	r := launch{Publish: []string{"0:3000", "[::1]:0:3000"}}.run(t, "echo@[::1]:3000")
	for i := range 2 {
		for range 10 {
			says(t, dial(t, r.address(i)), "six")
		}
	}
	if !strings.HasPrefix(r.address(1), "[::1]:") {
		t.Errorf("the report has %q", r.began.Publish)
	}
	r.end()
}

// A written address is the one that the host listens on.
func TestAnotherAddress(t *testing.T) {
	port := strconv.Itoa(free(t))
	r := launch{Publish: []string{"127.0.0.2:" + port + ":3000"}}.run(t, "echo@0.0.0.0:3000")
	says(t, dial(t, "127.0.0.2:"+port), "two")
	if c, err := net.Dial("tcp", "127.0.0.1:"+port); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("127.0.0.1: %v, %v", c, err)
	}
	r.end()
}

// The end of the server is the end of the port and of what is open there.
func TestServersEnd(t *testing.T) {
	r := launch{Publish: []string{"0:3000"}}.run(t, "echo@127.0.0.1:3000")
	c := dial(t, r.address(0))
	says(t, c, "open")
	r.end()
	if n, err := c.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes", n)
	}
	if c, err := net.Dial("tcp", r.address(0)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after the end: %v, %v", c, err)
	}
	again := launch{Publish: []string{r.address(0) + ":3000"}}.run(t, "echo@127.0.0.1:3000") // although connections are in TIME_WAIT
	says(t, dial(t, again.address(0)), "again")
	again.end()
}
