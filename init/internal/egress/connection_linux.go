package egress

import (
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/hello"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/pair"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

// A connection of the server's.
type connection struct {
	accepter *accepter
	fd       int
	at       target
	member   *loop.Member // while there is no connection of the host's
	cancel   func()       // the dial
	stream   *relay.Stream
	checks   bool // a TLS client has to ask for an allowed name
	named    bool // it has
	answer   hello.Answer
	deadline time.Time   // for that, once its first byte has come; zero: known
	on       pair.Events // or nil
}

// dial connects on the host's side.
func (c *connection) dial(t dial.Target, err error) {
	if c.fd < 0 {
		return // reset meanwhile
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.cancel = c.accepter.dialer.Dial(t, func(fd int, err error) {
		c.cancel = nil
		if err != nil {
			if sock.Scarce(err) {
				c.accepter.engine.denials.files(err)
			} else {
				c.accepter.engine.denials.upstream(c.at, err)
			}
			c.fail(err)
			return
		}
		c.join(fd)
	})
}

// fail ends a connection that has none of the host's.
func (c *connection) fail(err error) {
	if c.on != nil {
		c.on.Connected(c.fd, err)
	}
	c.end()
}

// join hands both connections to the relay.
func (c *connection) join(outside int) {
	if c.on != nil {
		c.on.Connected(c.fd, nil)
	}
	c.member.Remove()
	delete(c.accepter.alone, c)
	count := c.accepter.engine.denials.count(c.at)
	c.stream = c.accepter.relay.Join(c.fd, outside, nil, func(x relay.Ended) {
		count.Sent += x.Sent
		count.Received += x.Received
		c.fd = -1
		c.left()
	})
	if c.checks && c.fd >= 0 {
		c.stream.Hold(c.gate)
	}
}

// gate decides by the first bytes of the server's whether they go out: a TLS client has to ask for an allowed name, and
// once more where the host wants a second hello.
func (c *connection) gate(first []byte) relay.Verdict {
	switch {
	case len(first) == 0, c.answer == hello.Final: // the end of input: nothing is asked for
		return relay.Pass
	case c.named && c.answer == hello.Unknown:
		return relay.Wait
	}
	look := hello.Name
	if c.named {
		look = hello.Second
	}
	result, asked, size := look(first)
	switch result {
	case hello.NeedMore:
		return c.more(size)
	case hello.ServerName:
		e := c.accepter.engine
		if name, ok := e.rules.Canonical(asked); !ok || e.rules.Port(name, c.at.port) != match.Open {
			e.denials.serverName(c.at, asked)
			return relay.Refuse
		}
	case hello.None:
		c.accepter.engine.denials.serverName(c.at, "")
		return relay.Refuse
	}
	c.decided()
	if c.named || result == hello.NotTLS {
		return relay.Pass
	}
	c.named = true
	c.stream.Answer(c.answers)
	return relay.Verdict(size)
}

// more waits for the rest of a hello, or lets the records before that go out.
func (c *connection) more(others int) relay.Verdict {
	if c.deadline.IsZero() && others == 0 {
		c.deadline = time.Now().Add(helloTime)
		c.accepter.begun = append(c.accepter.begun, c)
	}
	return relay.Verdict(others) // 0 is Wait
}

// answers learns from the first bytes of the host's whether they want a second hello.
func (c *connection) answers(first []byte) relay.Verdict {
	answer, alerts := hello.AnswerOf(first)
	switch {
	case len(first) == 0:
		answer = hello.Final
	case alerts > 0:
		return relay.Verdict(alerts)
	case answer == hello.Unknown:
		return relay.Wait
	}
	c.answer = answer
	return relay.Pass
}

// hungUp is called while there is no connection of the host's.
func (c *connection) hungUp(events uint32) {
	if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		c.end()
	}
}

// end resets a connection that is not joined.
func (c *connection) end() {
	if c.fd < 0 {
		return
	}
	if c.cancel != nil {
		c.cancel()
		c.cancel = nil
	}
	c.member.Remove()
	delete(c.accepter.alone, c)
	reset(c.fd)
	c.fd = -1
	c.left()
}

func (c *connection) left() {
	c.decided()
	c.accepter.living--
	if c.on != nil {
		c.on.Ended()
	}
}

// decided is called when nothing more is awaited of a TLS client. Those that come and go leave nothing in the list.
func (c *connection) decided() {
	if !c.deadline.IsZero() {
		c.deadline = time.Time{}
		c.accepter.begun = slices.DeleteFunc(c.accepter.begun, func(other *connection) bool { return other == c })
	}
}
