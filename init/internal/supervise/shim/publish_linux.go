package shim

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// published are the ports of the host's that are the server's.
type published struct{ *egress.Publisher }

// open listens on the host's ports, before anything is started: a port that is taken refuses the launch.
func (p *published) open(of *policy.Policy, probe bool) (err error) {
	if !layers.HasPublish(of) || probe {
		return nil
	}
	var entries []policy.Publish
	for _, text := range of.Network.Publish {
		entry, err := policy.ParsePublish(text)
		if err == nil && layers.EgressPort(of, entry.Port) {
			err = errors.New("the launcher listens on that port of the server's itself, for allowedDomains")
		}
		if err != nil {
			return &order.Refusal{Layer: order.Policy, Op: "network.publish", Path: text, Err: err}
		}
		entries = append(entries, entry)
	}
	p.Publisher, err = egress.Publish(entries)
	return err
}

// note writes into the first line of the report which ports of the host's are the server's. A confinement that does not
// hold them has none.
func (p *published) note(sandbox *launch.Sandbox, e *order.Enforced) error {
	if p.Publisher == nil {
		return nil
	}
	if sandbox.Shared() {
		p.Close()
		p.Publisher = nil
		return nil
	}
	network := e.Layer(order.Network)
	for _, f := range p.Facts() {
		network.Facts = append(network.Facts, f)
		if f.Got != f.Want {
			err := errors.New("want " + f.Want + ", got " + f.Got)
			return &order.Refusal{Layer: order.Network, Op: f.Name, Err: err}
		}
	}
	e.Publish = p.Ports()
	ask := func() { sandbox.Send(layers.MsgSocket) }
	if err := p.Begin(launch.TakeSockets(sandbox), ask); err != nil {
		return &order.Refusal{Layer: order.Network, Op: "publish", Err: err}
	}
	return nil
}
