package fsview

import "github.com/security-mcp/mcp-sandbox/init/order"

// noteGiven notes the access that denials and grants result in. Of a grant and a denial of one path the denial wins.
func (g *grants) noteGiven() {
	for _, list := range [...]struct {
		rules []rule
		why   order.Why
	}{{g.denied, order.WhyDenied}, {g.allowed, order.WhyGranted}} {
		for i := range list.rules {
			path := list.rules[i].path
			s := order.Seen{Path: path, Mode: g.points.access(path).mode(), Why: list.why}
			g.view.Given = append(g.view.Given, s)
		}
	}
}

func (a access) mode() order.Mode {
	switch {
	case a.write:
		return order.CanWrite
	case a.read:
		return order.CanRead
	}
	return order.Hidden
}
