package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The server ends in a call: every open call gets an error at once, and the session is gone, or the next request starts
// another.
func TestServerEnds(t *testing.T) {
	t.Parallel()
	s := launch(t, "modern")
	c := s.session()
	get := c.stream("GET", "")
	hung := c.stream("POST", call("1", "hang", "", 0))
	c.post(call(`"2"`, "die", "", 0)).want(t, 200, `"id":"2"`, "-32603", `"cause":"exit"`, `"exitCode":7`)
	hung.want(`"id":1`, "-32603", `"exitCode":7`)
	if rest := get.next(); rest != "" {
		t.Errorf("%s", rest)
	}
	c.post(call("3", "echo", "", 0)).want(t, 404)

	m := s.modern()
	for range 2 {
		m.ask("1", "die", "").want(t, 200, "-32603", `"cause":"exit"`)
	}
	m.ask("2", "echo", "").want(t, 200, `"id":2`)
	m.ask("1", "die", "").want(t, 200, "-32603")
	s.awaitEnds(4)
	testbed.Await(t, "a pause behind crashes", func() bool { // of a second first: one may be over
		a := m.ask("3", "echo", "")
		if a.status == 503 && a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		return a.status == 503 || m.ask("1", "die", "").status == 503
	})
	testbed.Await(t, "the end of the pause", func() bool { return m.ask("4", "echo", "").status == 200 })
}

// A sandbox that is refused, and no room for one more.
func TestNoSandbox(t *testing.T) {
	t.Parallel()
	s := begin(t, "legacy", "--cwd", "/nowhere")
	testbed.Receive(t, "serve's end", s.ended)
	if code := s.cmd.ProcessState.ExitCode(); code != 125 || !strings.Contains(s.said(), "/nowhere") {
		t.Errorf("%d %s", code, s.said())
	}
	s = launch(t, "modern", "--max-sandboxes", "3", "--max-per-principal", "2")
	a := s.session()
	s.session()
	s.client().post(initialize).want(t, 429)
	a.send("DELETE", "").want(t, 204)
	s.awaitEnds(1)
	s.session()
	s = launch(t, "legacy", "--max-sandboxes", "1")
	s.session()
	if a := s.client().post(initialize).want(t, 503); a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// A call that hangs holds up neither others nor DELETE, which ends it.
func TestHangs(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy")
	c := s.session()
	hung := c.stream("POST", call("1", "hang", "", 0))
	c.post(call("2", "echo", "", 0)).want(t, 200)
	s.session().post(call("1", "echo", "", 0)).want(t, 200)
	c.send("DELETE", "").want(t, 204)
	hung.want("-32603", `"cause":"deleted"`)
}

// A server that reads nothing: its requests wait, and DELETE ends it all the same.
func TestDeaf(t *testing.T) {
	t.Parallel()
	s := launch(t, "deaf")
	c := s.session()
	first := c.stream("POST", call("1", "hang", "", 0)) // the last that it reads
	done := make(chan answer, 3)
	for _, id := range []string{"2", "3", "4"} {
		go func() { done <- c.post(call(id, "echo", strings.Repeat("x", 200<<10), 0)) }()
	}
	s.session().post(call("1", "hang", "", 0)[:0]+`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(t, 200)
	c.send("DELETE", "").want(t, 204)
	first.want("-32603")
	for range 3 {
		a := testbed.Receive(t, "an answer", done)
		if a.status != 200 && a.status != 404 || a.status == 200 && !strings.Contains(a.text, "-32603") {
			t.Errorf("%+v", a)
		}
	}
}

// A server that closes its standard input and goes on is no server any more: its calls fail, and the client starts anew.
func TestShut(t *testing.T) {
	t.Parallel()
	s := launch(t, "shuts", "--grace", "500ms")
	c := s.session()
	c.stream("POST", call("1", "hang", "", 0)).want(`"id":1`, "-32603", `"cause":"closed"`)
	c.post(call("2", "echo", "", 0)).want(t, 404)
	s.session()
}

// What is no message goes to the log, and a second answer nowhere.
func TestJunk(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy")
	c := s.session()
	get := c.stream("GET", "")
	c.post(call("1", "raw", "stray print\n[1]\n{\"jsonrpc\":\"2.0\"}\n"+
		`{"jsonrpc":"2.0","id":77,"result":{}}`+"\n"+`{"jsonrpc":"2.0","id":1,"result":{"first":true}}`, 0)).want(t, 200, "first")
	c.post(call("2", "echo", "", 0)).want(t, 200, `"id":2`)
	changed := `{"jsonrpc":"2.0","method":"notifications/resources/updated"}`
	c.post(call("3", "raw", changed, 0)).want(t, 200)
	get.want("resources/updated")
	testbed.Await(t, "the print in the log", func() bool { return strings.Contains(s.said(), "stray print") })
	if a := c.metrics(); !strings.Contains(a, "dropped_messages_total 2") {
		t.Errorf("%s", a)
	}
	c.post(call("4", "long", "", 17<<20)).want(t, 200, "-32603", `"cause":"line"`)
}

func (c *rawClient) metrics() string {
	c.Helper()
	own := *c
	own.served = &served{TB: c.TB, url: strings.TrimSuffix(c.url, "/mcp") + "/metrics"}
	return own.send("GET", "").text
}

// A server that floods is read no faster than its client reads; a client that reads nothing loses its stream, and no
// other client anything.
func TestFlood(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy")
	c := s.session()
	c.http.Transport = &http.Transport{DialContext: (&net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		bad := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 64<<10) })
		return errors.Join(bad, err)
	}}).DialContext} // since Linux 6.16 the kernel would take 32 MB for it
	slow := c.stream("POST", call("1", "flood", "", 40_000))
	other := s.session()
	other.post(call("1", "echo", "", 0)).want(t, 200)
	testbed.Await(t, "the end of a flood that is read on when its client was cut off", func() bool { return strings.Contains(s.said(), "all is said") })
	c.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`).want(t, 200)
	if r := s.resident(); r > 120<<20 {
		t.Errorf("serve has %d MB", r>>20)
	}
	for event := slow.next(); event != ""; event = slow.next() {
		if strings.Contains(event, "done") {
			t.Error("a client that took nothing was not cut off")
		}
	}
	slow.stop()
	quick := s.session().stream("POST", call("1", "flood", "", 5000))
	for range 5000 {
		quick.next()
	}
	quick.want("done")
}

// Children and deaf ears against SIGTERM do not outlive the end.
func TestStubborn(t *testing.T) {
	t.Parallel()
	s := launch(t, "stubborn", "--grace", "500ms")
	began := time.Now()
	c := s.session()
	testbed.Await(t, "the child", func() bool { return len(s.processes()) >= 2 })
	yardstick := time.Since(began)
	began = time.Now()
	c.send("DELETE", "").want(t, 204)
	s.gone()
	if took := time.Since(began); took > 2*500*time.Millisecond+4*time.Second+20*yardstick {
		t.Errorf("%v, and %v to start", took, yardstick)
	}
}

// serve is killed, while a sandbox starts, or a call is on its way: nothing is left.
func TestKilled(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"full": {"--min-confinement", "full"}, "reduced": {noClone}} {
		for i := range 2 {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				t.Parallel()
				s := launch(t, "stubborn", append(flags, "--grace", "500ms")...)
				began := time.Now()
				s.session()
				s.session().stream("POST", call("1", "hang", "", 0))
				yardstick := time.Since(began)
				c := s.client()
				go c.start(t.Context(), "POST", initialize) // an error, or the whole answer
				testbed.Moment(i, 2, yardstick/2)
				s.cmd.Process.Kill()
				began = time.Now()
				s.gone()
				if took := time.Since(began); took > 4*time.Second+20*yardstick {
					t.Errorf("%v, and %v to start", took, yardstick)
				}
			})
		}
	}
}

// A server that ends as soon as it starts is no session that is unknown, at whatever moment a request finds it.
func TestEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := launch(t, "dies")
	if !strings.Contains(s.said(), "ended in its first start") {
		t.Error(s.said())
	}
	for range 5 {
		if a := s.modern().ask("1", "echo", ""); a.status != 503 && (a.status != 200 || !strings.Contains(a.text, "-32603")) {
			t.Errorf("%d %s", a.status, a.text)
		}
	}
}
