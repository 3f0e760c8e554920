package launcher

import (
	"sync"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// refusalCache is the cache of refusals by this machine, for the life of this process: an *order.Lowered
// for launches with the host's network (true), and one for those without. A launch that may not begin lower tries all
// the same.
var refusalCache sync.Map

// begin has an order begin where the last of its kind ended up.
func begin(o *order.Order, l policy.Level) {
	if known, _ := refusalCache.Load(l == policy.LevelNetwork); known != nil && o.Begin == "" && !o.Probe {
		o.Begin, o.Why = known.(*order.Lowered).Confinement, known.(*order.Lowered).Why
	}
}
