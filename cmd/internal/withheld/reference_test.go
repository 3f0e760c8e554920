package withheld

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A variable whose value only names what should stand there has a notice, and no value is in that.
func TestReferences(t *testing.T) {
	all := references([]string{"HOME=~/x", "PATH=~/bin", "A=op://s3cret/x", "B=s3cret", "C=${s3cret}"})
	if len(all) != 2 || all[0].Name != "A" || all[1].Name != "C" {
		t.Errorf("%+v", all)
	}
	for _, n := range all {
		if n.Kind != order.NoticeReference || n.Line == "" || strings.Contains(n.Line+n.Flag, "s3cret") {
			t.Errorf("%+v", n)
		}
	}
	if all := references(make([]string, 1000)); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}
