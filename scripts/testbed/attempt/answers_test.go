package attempt_test

import (
	"net"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// An answer is ok only if a line came back; the two acts are each other's control.
func TestAnswers(t *testing.T) {
	do := func(name, at string) attempt.Result {
		r, err := attempt.Do(name, at)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return r
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	go func() {
		if c, err := free.Accept(); err == nil {
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}()
	if r := do("ask", at); r.OK {
		t.Errorf("of a host that resets the connection: %+v", r)
	}
	free.Close()
	served := make(chan attempt.Result, 1)
	go func() { served <- do("serve", at) }()
	var r attempt.Result
	testbed.Await(t, "an answer", func() bool { // it does not listen at once
		r = do("ask", at)
		return r.OK
	})
	if s := testbed.Receive(t, "the end of what served", served); r.Detail != "probe" || !s.OK || s.Detail != "probe" {
		t.Errorf("asked %+v, served %+v", r, s)
	}
}
