package coverwatch

import (
	"os"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A watcher that is stopped lays nothing, and reaps the runner that it had started. Another one, which the loop tells of the
// same a moment later, has laid its covers by then.
func TestStop(t *testing.T) {
	var l loop.Loop
	b, other := newBox(t), newBox(t)
	b.watch(&l)
	other.watch(&l)
	inits := []int{b.init, other.init}
	slices.Sort(inits)
	run(t, &l, func() bool { b.w.onLoss(); b.w.Stop(); other.w.onLoss(); return true }, other.settled,
		func() bool { return b.w.repair == nil || !b.w.repair.laying },
		func() bool {
			for _, b := range []*box{b, other} {
				b.w.onLoss()
				b.rename("secret.new", "secret", 0)
				b.w.OnRename()
			}
			return true
		}, other.settled, func() bool { // no runner is left
			children := testbed.Children(os.Getpid())
			slices.Sort(children)
			return slices.Equal(children, inits)
		})
	if b.settled() || b.lost != nil {
		t.Errorf("covered again; lost %v", b.lost)
	}
}
