package shim

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/layers"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// checkEgress refuses what only this machine can say of a policy with allowed domains.
func (s *shim) checkEgress() error {
	if !layers.HasEgress(&s.policy) {
		return nil
	}
	own, err := platform.OwnAddresses()
	if err != nil {
		return &order.Refusal{Layer: order.Network, Op: "own addresses", Err: err}
	}
	rules := match.New(&s.policy.Network)
	for _, a := range own {
		if !a.IsLoopback() && rules.Literal(a) {
			return &order.Refusal{Layer: order.Policy, Op: "allowedDomains", Path: a.String(),
				Err: errors.New("an address of this machine itself: localhost:PORT opens a port of it")}
		}
	}
	if s.proxy, err = dial.ProxyFrom(os.Getenv); err != nil {
		return &order.Refusal{Layer: order.Network, Op: "company proxy", Err: err}
	}
	return nil
}

// serveEgress makes the engine that serves the sockets of the server's network namespace.
func (s *shim) serveEgress(sockets []layers.Carried) (launch.Serving, error) {
	engine, err := egress.New(egress.Config{Sockets: sockets, Network: s.policy.Network, Proxy: s.proxy,
		Tally: &s.denied.Tally})
	if err != nil {
		return nil, err
	}
	s.monitor.egress = engine
	return engine, nil
}

// noteEgress writes into the first line of the report how hosts are reached.
func (s *shim) noteEgress(e *order.Enforced) {
	if !layers.HasEgress(&s.policy) || s.monitor.sandbox.Shared() {
		return
	}
	if s.proxy.IsSet() {
		e.Layer(order.Network).Effect = "via proxy " + s.proxy.String()
	}
	for _, v := range s.policy.Env {
		if slices.Contains(proxyVariables[:], v.Name) {
			e.Warnings = append(e.Warnings, notice.ProxyVariable(v.Name))
		}
	}
}

// proxyVariables are those by which programs are told of a proxy.
var proxyVariables = [...]string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"}

// finishEgress carries what the server said last, for no longer than a server may take to end.
func (s *shim) finishEgress() {
	grace, _ := s.policy.Limits.Grace.Value()
	if grace <= 0 {
		grace = lastBytes
	}
	s.monitor.egress.Finish(time.Now().Add(min(grace, lastBytes)))
	s.monitor.sandbox.CloseEgress()
}

// lastBytes is how long the launcher carries bytes for a server that has ended.
const lastBytes = 1500 * time.Millisecond
