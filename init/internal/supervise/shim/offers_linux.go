package shim

import (
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// An offer is the grant that a line proposes, which the plan of the launch was asked about. Without a Flag no grant
// helps.
type offer struct {
	fsview.Offer
	writes bool // the same can be granted for writing
}

// offers ask the plan of a launch.
type offers struct {
	order   *order.Order
	policy  *policy.Policy
	sandbox *launch.Sandbox
	files   *fsview.Explained
}

// offer is the first of some paths that can be granted. Paths are looked at, and nothing is planned again: a start with
// a notice takes no longer than one without.
func (g *offers) offer(paths ...string) offer {
	for _, at := range paths {
		o, err := fsview.OfferOf(g.files, at, false)
		if err != nil || o.Flag == fsview.OfferSocket && g.noSockets() {
			continue
		}
		_, err = fsview.OfferOf(g.files, at, true)
		return offer{o, err == nil && o.Flag != fsview.OfferSocket}
	}
	return offer{}
}

// noSockets reports whether a launch of this policy would be refused for an allowed socket.
func (g *offers) noSockets() bool {
	hostNet := g.policy.Level == policy.LevelNetwork
	return layers.WhyNoUnix(g.sandbox.View, g.sandbox.Machine.LandlockABI, hostNet) != ""
}

// typed is the flag as a person types it in a shell; "" for none.
func (o *offer) typed() string {
	if o.Flag == "" {
		return ""
	}
	return o.Flag + " " + text.Shell(o.Path)
}

// flag is the same for a line, or why no line has that flag; "" for none.
func (o *offer) flag() string { return notice.WholeFlag(o.Flag, o.Path) }

// check takes a flag out of a profile's notice that the plan of this launch would refuse.
func (g *offers) check(n *order.Notice) {
	flag, _, _ := strings.Cut(n.Flag, " ")
	if flag != fsview.OfferRead && flag != fsview.OfferWrite {
		return
	}
	at := n.Name
	if variable, ok := strings.CutPrefix(at, "variable "); ok {
		at = order.Lookup(g.order.Env, variable)
	}
	if !strings.HasPrefix(at, "/") {
		return
	}
	if _, err := fsview.OfferOf(g.files, path.Clean(at), flag == fsview.OfferWrite); err != nil {
		n.Flag, n.Line = "", notice.Unflagged(n.Line)
	}
}

// writeOffer is the grant of a path for writing.
func (g *offers) writeOffer(at string) (o offer) {
	if w, err := fsview.OfferOf(g.files, at, true); err == nil {
		o.Offer = w
	}
	return o
}
