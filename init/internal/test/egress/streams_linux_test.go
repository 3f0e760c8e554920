package egress_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a connection does end to end, it does through the launcher: ends of one direction, resets, bulk, order.
func TestStreams(t *testing.T) { both(t, testStreams) }

func testStreams(t *testing.T, in confinement) {
	size := int64(100 << 20)
	if testing.Short() {
		size = 20 << 20
	}
	got := make(chan string, 1)
	s := newSite(t, "streams.example.com").serve(t, 25, whoami("streams")).serve(t, 7, echo).serve(t, 9, upside).
		serve(t, 19, source).serve(t, 20, sink).serve(t, 21, resetAfter(10)).serve(t, 22, firstEnd(got))
	aborted := make(chan error, 1)
	s.serve(t, 23, func(c *net.TCPConn) {
		b := make([]byte, 16)
		n, _ := c.Read(b)
		c.Write(b[:n])
		_, err := c.Read(b)
		aborted <- err
	})
	l := launch{in: in, network: network{Allowed: hostPorts(s.Name, 25, 7, 9, 19, 20, 21, 22, 23, 24)}}
	n, hash := strconv.FormatInt(size, 10), strconv.FormatInt(size, 10)+" "+patternHash(size)
	at := func(port string) string { return s.Name + ":" + port }
	serial := "100"
	if !testing.Short() {
		serial = "1000"
	}
	e := l.rows(t,
		row{"the server speaks first", act("banner", at("25")), "220 streams", ""},
		row{"the client's end first", act("half-close", at("9"), "abc"), "3 bytes: ABC", ""},
		row{"an end at once", act("half-close", at("9"), ""), "0 bytes: ", ""},
		row{"the server's end first", act("late", at("22"), "late"), "over\n", ""},
		row{"the server's reset", act("read", at("21"), "x"), "", "ECONNRESET"},
		row{"the client's reset", act("abort", at("23"), "mine"), "", ""},
		row{"much from the server", act("source", at("19"), n), hash, ""},
		row{"much to the server", act("sink", at("20"), n), hash, ""},
		row{"one after another", act("serial", at("7"), serial), "", ""},
		row{"many at once, both ways", act("streams", at("7"), "32", "300000"), "", ""},
		row{"a host that refuses", act("read", at("24"), "x"), "", in.refused})
	if e.Results[4].Count != 10 {
		t.Errorf("before the reset came %d bytes, want 10", e.Results[4].Count)
	}
	if late := <-got; late != "late" {
		t.Errorf("after its own end the server got %q", late)
	}
	if err := <-aborted; err == nil || errorName(err) != in.aborted {
		t.Errorf("of the client's reset the server saw %v", err)
	}
	e.flows(t, flow{s.Name, 19, 1, int64(len(n) + 1), size}, flow{s.Name, 20, 1, size, int64(len(hash))}, flow{s.Name, 23, 1, 4, 4},
		flow{Host: s.Name, Port: 7, Connections: must(t, serial) + 32})
	e.told(t, denied{Kind: "upstream", Host: s.Name, Port: 24, Errno: "ECONNREFUSED"})
}

// flows demands that the last line counts these; 0 bytes are any.
func (e *ended) flows(t *testing.T, all ...flow) {
	t.Helper()
	for _, want := range all {
		found := false
		for _, f := range e.Egress {
			if f.Host == want.Host && f.Port == want.Port {
				found = f.Connections == want.Connections && (want.Sent == 0 || f.Sent == want.Sent) &&
					(want.Received == 0 || f.Received == want.Received)
			}
		}
		if !found {
			t.Errorf("no %+v in %+v", want, e.Egress)
		}
	}
}

func must(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func hostPorts(name string, ports ...int) (all []string) {
	for _, p := range ports {
		all = append(all, net.JoinHostPort(name, strconv.Itoa(p)))
	}
	return all
}

// 512 connections at once and one more, which is refused and told; those before it stay, and one that ends makes room.
func TestConnectionsAtOnce(t *testing.T) { both(t, testConnectionsAtOnce) }

func testConnectionsAtOnce(t *testing.T, in confinement) {
	s := newSite(t, "crowd.example.com").serve(t, 7, echo)
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	e := l.rows(t,
		row{"512 and one", act("many", s.Name+":7", "512"), "", ""},
		row{"another one after them", act("tcp", s.Name+":7", "room"), "room", ""})
	if r := e.Results[0]; r.Count != 512 || len(r.All) != 1 || r.All[0] != in.refused {
		t.Errorf("%s: want 512, and the next one refused", r)
	}
	e.told(t, denied{Kind: "limit"})
	e.flows(t, flow{Host: s.Name, Port: 7, Connections: 513})
}

// In reduced a socket without a connection is a descriptor of the launcher's: there is a bound, which is told, and a
// socket that the server closes makes room at once. In full such sockets are the server's own.
func TestSocketsAtOnce(t *testing.T) {
	reduced.need(t)
	s := newSite(t, "sockets-at-once.example.com").serve(t, 7, echo)
	at, all := s.Name+":7", "1500"
	l := launch{in: reduced, network: network{Allowed: []string{at}}}
	type round struct {
		act, more string
		least     int64
	}
	rounds := []round{{act("sockets", all), act("tcp", at, "x"), 500}}
	for range 10 { // the launcher may see the ends closed before the next call
		rounds = append(rounds, round{act("sockets", all, "udp"), act("lookup", s.Name), 250})
	}
	acts := []string{act("tcp", at, "before"), act("wait")}
	for _, r := range rounds {
		acts = append(acts, r.act, r.more, act("shut"), r.more)
	}
	run := l.session(t, append(acts, act("wait"))...)
	run.good()
	before := descriptorsOf(t, run.Shim)
	run.release()
	for _, round := range rounds {
		if r := run.next(); !oneOf(r.Error, "ENFILE|EMFILE") || r.Count < round.least { // or by the server's own limit
			t.Errorf("%s", r)
		}
		if r := run.next(); r.Error == "" || r.Error == "timeout" {
			t.Errorf("one more: %s", r)
		}
		run.good()
		run.good()
	}
	testbed.Await(t, "as many descriptors as before", func() bool { return descriptorsOf(t, run.Shim) <= before })
	run.release()
	run.end().told(t, denied{Kind: "limit"})
}

// The launcher raises its own soft limit of open files, with which a shell may have started it, before there is a
// confinement.
func TestConnectionsUnderSoftLimit(t *testing.T) {
	s := newSite(t, "soft.example.com").serve(t, 7, echo)
	l := launch{in: full, network: network{Allowed: []string{s.Name + ":7"}}, Prefix: []string{"/bin/sh", "-c", `ulimit -Sn 200 && exec "$0" "$@"`}}
	e := l.rows(t, row{"400 at once", act("many", s.Name+":7", "400"), "", ""})
	if r := e.Results[0]; r.Count != 401 {
		t.Errorf("%s", r)
	}
}

// Attack 33: as many streams that are all busy, which is more memory for pipes than an ordinary user gets.
func TestBusyStreams(t *testing.T) { both(t, testBusyStreams) }

func testBusyStreams(t *testing.T, in confinement) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := newSite(t, "busy.example.com").serve(t, 7, echo)
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	e := l.rows(t, row{"512 busy streams", act("streams", s.Name+":7", "512", "400000"), "", ""})
	if r := e.Results[0]; r.Count != 512 {
		t.Errorf("%s", r)
	}
}

// Attack 34: a connection is made upstream when it is accepted, before the client says anything; and what is open when
// the server ends does not outlive the launch.
func TestSilentConnection(t *testing.T) { both(t, testSilentConnection) }

func testSilentConnection(t *testing.T, in confinement) {
	seen := make(chan struct{})
	over := make(chan struct{})
	s := newSite(t, "silent.example.com").serve(t, 7, func(c *net.TCPConn) {
		close(seen)
		holds(c)
		close(over)
	})
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	cmd := l.cmd(t, testbed.Self(t, "client"), clientIs, act("hold", s.Name+":7"))
	run := host.Hold(t, cmd)
	run.Began()
	testbed.Receive(t, "the connection", seen)
	run.Stdin.Close()
	l.over(t, run)
	testbed.Receive(t, "its end", over)
}
