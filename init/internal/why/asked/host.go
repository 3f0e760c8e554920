package asked

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/vet"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

const (
	allowedKey = "/network/allowedDomains/"
	deniedKey  = "/network/deniedDomains/"
)

// A hostQuestion is asked of one policy.
type hostQuestion struct {
	policy *policy.Policy
	rules  *match.Rules
	text   string // the host, as messages have it
	host   match.Host
	named  bool // a client can connect to it by that
	ports  []uint16
}

// Host answers whether the server may connect to a port of a name or an address; 0 asks for 80 and 443. Where a name
// leads is not looked up: it may still be an address that the policy keeps closed.
func Host(p *policy.Policy, host string, port uint16) order.Answer {
	q := &hostQuestion{policy: p, rules: match.New(&p.Network), text: strictjson.Printable(host), ports: []uint16{port}}
	if port == 0 {
		q.ports = []uint16{80, 443}
	}
	q.host, q.named = match.HostOf(host)
	switch {
	case !q.named:
	case q.host.Address.IsValid():
		q.text = q.host.Address.String()
	default:
		q.text = q.host.Name
	}
	if level := p.Level; level == policy.LevelNetwork || level == policy.Privileged {
		return order.Answer{Allowed: order.ActAllowed, By: "/level",
			Text: q.what() + q.are() + " allowed: level " + string(level) + " has the host's network"}
	}
	if why := q.unreachable(); why != "" {
		return order.Answer{Allowed: order.ActDenied, Reason: order.ByPolicy, By: byDefault, Text: why}
	}
	a := q.judge()
	if a.Allowed == order.ActDenied {
		q.change(&a)
	}
	return a
}

// byDefault is By where no entry decides.
const byDefault = "default"

// unreachable says why no entry can open any port of what is asked, or "".
func (q *hostQuestion) unreachable() string {
	if !q.named {
		if _, err := policy.ParseDomain(q.text + ":443"); err != nil {
			return err.Error()
		}
		return q.text + " is no name that a server can look up, and no address"
	}
	a := q.host.Address
	if !a.IsValid() || a.IsLoopback() {
		return ""
	}
	if class := vet.ClassOf(a, nil); class < vet.Private {
		return q.text + " is " + class.String() + ", which nothing opens"
	}
	return ""
}

// judge asks the rules of each port.
func (q *hostQuestion) judge() order.Answer {
	var by string
	for _, port := range q.ports {
		if reason := q.rules.Ask(q.host, port); reason != match.Open {
			return q.denied(port, reason)
		}
		if by == "" {
			by = allowedKey + strconv.Itoa(q.narrowest(match.Decide(&q.policy.Network, q.host, port).Opens))
		}
	}
	return order.Answer{Allowed: order.ActAllowed, By: by, Text: q.what() + q.are() + " allowed at " + by}
}

func (q *hostQuestion) denied(port uint16, reason match.Reason) order.Answer {
	a := order.Answer{Allowed: order.ActDenied, Reason: order.ByPolicy, By: byDefault}
	w := match.Decide(&q.policy.Network, q.host, port)
	switch {
	case len(w.Closes) > 0:
		a.By = deniedKey + strconv.Itoa(w.Closes[0])
		a.Text = q.text + " port " + number(port) + " is denied at " + a.By
	case reason == match.WrongPort:
		a.By = allowedKey + strconv.Itoa(q.narrowest(w.Elsewhere))
		a.Text = q.text + " is allowed at " + a.By + " for " + portList(q.openPorts()) + " only"
	case len(q.rules.Ports()) == 0:
		a.Text = q.what() + q.are() + " not allowed: no entry of allowedDomains opens anything, so there is no network"
	default:
		a.Text = q.what() + q.are() + " not allowed: no entry of allowedDomains names " + q.text
	}
	return a
}

// narrowest is the entry that names the host itself, else the star with the most labels.
func (q *hostQuestion) narrowest(entries []int) int {
	best, length := entries[0], -1
	for _, i := range entries {
		d, err := policy.ParseDomain(q.policy.Network.AllowedDomains[i])
		if err == nil && !d.Below {
			return i
		}
		if err == nil && len(d.Host) > length {
			best, length = i, len(d.Host)
		}
	}
	return best
}

// openPorts are the ports of the host that are open.
func (q *hostQuestion) openPorts() (open []uint16) {
	for _, port := range q.rules.Ports() {
		if q.rules.Ask(q.host, port) == match.Open {
			open = append(open, port)
		}
	}
	return open
}

// what is the host with its ports.
func (q *hostQuestion) what() string { return q.text + " " + portList(q.ports) }

func (q *hostQuestion) are() string {
	if len(q.ports) > 1 {
		return " are"
	}
	return " is"
}

// portList is "port 80" or "ports 80 and 443".
func portList(ports []uint16) string {
	if len(ports) == 1 {
		return "port " + number(ports[0])
	}
	all := make([]string, len(ports))
	for i, port := range ports {
		all[i] = number(port)
	}
	last := len(all) - 1
	return "ports " + strings.Join(all[:last], ", ") + " and " + all[last]
}

func number(port uint16) string { return strconv.Itoa(int(port)) }

// entry is what an allowance of one port of the host has to say.
func (q *hostQuestion) entry(port uint16) string {
	host := q.text
	switch {
	case q.host.Address.IsLoopback():
		host = "localhost"
	case q.host.Address.Is6():
		host = "[" + host + "]"
	}
	return host + ":" + number(port)
}
