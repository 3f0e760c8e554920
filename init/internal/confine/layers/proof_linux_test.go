package layers

import (
	"reflect"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// asks is a row with one call, which has to return 0.
func asks(b *build) { b.fact("getpid", "0", b.Observe(sys.Getpid())) }

// Two comparisons come to what one comes to. Where the first finds a difference the second compares all.
func TestTwoComparisons(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong int  // of the two calls; -1: neither
		first bool // the comparison of init's rows counts
	}{{"as wanted", -1, true}, {"of init's row", 0, false}, {"of the server's row", 1, true}} {
		b := emptyBuild(policy.Full, &Request{})
		from := b.Len()
		for _, l := range order.Layers() { // the first has two calls, and one is the server's
			b.layer = l
			asks(b)
		}
		b.layer, b.layout.initProofs = order.Layers()[0], len(b.layout.proofs)
		asks(b)
		calls := [2]program.Op{b.Op(from), b.Op(b.Len() - 1)}
		results := b.Copy()
		for i := from; i < b.Len(); i++ {
			results.Store(b.Op(i), 0)
		}
		if c.wrong >= 0 {
			results.Store(calls[c.wrong], fails(unix.EPERM))
		}
		e := &Evidence{Results: results}
		found := CheckInit(b.layout, e)
		if (found != nil) != c.first {
			t.Errorf("%s: init's rows alone come to %v", c.name, found)
		}
		got, refusal := CheckRest(b.layout, e, found)
		whole, same := b.layout.Check(e)
		if !reflect.DeepEqual(got, whole) || !reflect.DeepEqual(refusal, same) {
			t.Errorf("%s: two comparisons come to %v, %v, and one to %v, %v", c.name, got, refusal, whole, same)
		}
		if (refusal == nil) != (c.wrong < 0) || refusal == nil && len(got[0].Facts) != 2 {
			t.Errorf("%s: %v, %v", c.name, got, refusal)
		}
	}
}
