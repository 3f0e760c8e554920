package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

const sigterm = syscall.SIGTERM

// SIGTERM: no new sandbox, calls end, subscriptions get their result, the rest is cut, and nothing is left.
func TestDrain(t *testing.T) {
	t.Parallel()
	s := launch(t, "modern", "--drain-delay", "3s", "--drain", "3s")
	c, m := s.session(), s.modern()
	s.session() // has nothing to do
	ready := s.client()
	ready.served = &served{TB: t, url: strings.TrimSuffix(s.url, "/mcp") + "/readyz"}
	ready.send("GET", "").want(t, 200)
	subscribed := m.listen("1")
	subscribed.want("acknowledged")
	long, hung := c.stream("POST", call("1", "wait", "", 2000)), c.stream("POST", call("2", "hang", "", 0))
	s.cmd.Process.Signal(sigterm)
	testbed.Await(t, "no readiness", func() bool { return ready.send("GET", "").status == 503 })
	s.client().post(initialize).want(t, 503)
	c.post(call("3", "echo", "", 0)).want(t, 200) // what is there goes on for the delay
	subscribed.want(`"id":1,"result"`, `"io.modelcontextprotocol/subscriptionId":1`)
	long.want(`"id":1`, "done")
	hung.want("-32603", `"cause":"drain"`)
	testbed.Receive(t, "serve's end", s.ended)
	if code, left := s.cmd.ProcessState.ExitCode(), s.processes(); code != 0 || len(left) > 0 || s.count("drained") != 1 {
		t.Errorf("%d, left %v: %s", code, left, s.said())
	}
}

// An answer whose server has ended in a drain is lost to no client that reads it slowly, as long as calls have time.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	const size = 15 << 20 // more than the sockets of both ends hold
	s := launch(t, "brief", "--drain", "1h")
	c := s.session()
	answer := c.stream("POST", call("1", "sh", fmt.Sprintf("sleep 0.5; head -c %d /dev/zero | tr '\\0' x", size), 0))
	s.cmd.Process.Signal(sigterm)
	s.awaitEnds(1)
	if text := answer.next(); len(text) < size {
		t.Errorf("%d bytes of %d came", len(text), size)
	}
	testbed.Receive(t, "serve's end", s.ended)
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("%d: %s", code, s.said())
	}
}

// A session that has nothing to do ends at the first signal, and no other begins. A second signal ends serve at once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	s := launch(t, "modern", "--token-file", file, "--drain", "1h")
	s.session(headers[0]).stream("POST", call("1", "hang", "", 0))
	s.session(headers[0])
	s.cmd.Process.Signal(sigterm)
	if cause := s.awaitEnds(1); cause != "drain" || s.count("sandbox ended") != 1 {
		t.Errorf("%s: %s", cause, s.said())
	}
	for _, a := range []answer{s.client(headers[1]).post(initialize), s.modern(headers[1]).ask("1", "echo", "")} {
		if a.want(t, 503); a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	s.cmd.Process.Signal(syscall.SIGINT)
	testbed.Receive(t, "serve's end", s.ended)
	if code := s.cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGINT) ||
		s.field("ended before the drain was over", "signal") != "interrupt" {
		t.Errorf("%d: %s", code, s.said())
	}
	s.gone()
}

// A signal during the trial ends serve, without a wait for a server that the end of its input does not end.
func TestSignalInTrial(t *testing.T) {
	t.Parallel()
	s := begin(t, "lingers", "--grace", "50s")
	testbed.Await(t, "the trial", func() bool { return s.field("sandbox started", "pid") != nil })
	s.cmd.Process.Signal(sigterm)
	testbed.Receive(t, "serve's end", s.ended)
	if code, left := s.cmd.ProcessState.ExitCode(), s.processes(); code != 0 || len(left) > 0 || s.field("probed", "server") != nil {
		t.Errorf("%d, left %v: %s", code, left, s.said())
	}
}

// A call whose server waits for its client's answer gets it in a drain, and when no other call has room.
func TestAnswersPass(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy", "--max-requests", "1")
	c := s.session()
	const ours = `{"jsonrpc":"2.0","id":"of-server","result":{"n":7}}`
	asking := c.stream("POST", call("1", "ask", "", 0))
	asking.want("sampling/createMessage")
	c.post(call("2", "echo", "", 0)).want(t, 429)
	c.post(ours).want(t, 202)
	asking.want(`"id":1`, `\"n\":7`)
	asking = c.stream("POST", call("3", "ask", "", 0))
	asking.want("sampling/createMessage")
	s.cmd.Process.Signal(sigterm)
	testbed.Await(t, "the drain", func() bool { return c.post(call("4", "echo", "", 0)).status == 503 })
	c.post(ours).want(t, 202)
	asking.want(`"id":3`, `\"n\":7`)
	testbed.Receive(t, "serve's end", s.ended)
}
