package launcher

import (
	"sync/atomic"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// lowered is what shims found this machine to refuse, without a network and with the host's, for the life of this process.
// A launch that may not begin lower tries all the same.
var lowered [2]atomic.Pointer[order.Lowered]

func slotOf(l policy.Level) *atomic.Pointer[order.Lowered] {
	if l == policy.LevelNetwork {
		return &lowered[1]
	}
	return &lowered[0]
}

// begin has an order begin where the last of its kind ended up.
func begin(o *order.Order, l policy.Level) {
	if known := slotOf(l).Load(); known != nil && o.Begin == "" && !o.Probe {
		o.Begin, o.Why = known.Confinement, known.Why
	}
}
