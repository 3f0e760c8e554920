package missed

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// writeWhole writes what one comparison came to, unless that of init's rows alone finds a difference.
func writeWhole(layers []order.LayerReport, early bool) {
	f := os.NewFile(altered.ListFD, "list")
	if early {
		json.NewEncoder(f).Encode(layers)
	}
	f.Close()
}

// What init's rows left is compared before the server's process is ready. The report is as of one comparison of all at
// the end: the same facts, in the same order. What the launcher adds afterwards, about its own sockets, comes behind.
func TestReportOfTwoComparisons(t *testing.T) {
	for _, d := range altered.Documents {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			l := build(t, d.Below).Launch(d.Text, "mark")
			l.Whole = true
			o := altered.Run(t, l)
			var got, whole []order.LayerReport
			if err := json.Unmarshal(o.Tried, &whole); err != nil || o.Code != 0 || len(o.Report) != 2 || len(whole) == 0 {
				t.Fatalf("code %d, %v, %v, layers of one comparison: %d\n%s", o.Code, err, o.Report, len(whole), o.Stderr)
			}
			text, err := json.Marshal(o.Report[0]["layers"])
			if err == nil {
				err = json.Unmarshal(text, &got)
			}
			if err != nil || len(got) != len(whole) {
				t.Fatalf("%v, %d layers in the report", err, len(got))
			}
			for i, want := range whole {
				g, facts := got[i], min(len(got[i].Facts), len(want.Facts))
				if g.Layer != want.Layer || g.State != want.State || g.Reason != want.Reason ||
					want.Effect != "" && g.Effect != want.Effect || !slices.Equal(g.Facts[:facts], want.Facts) {
					t.Errorf("the report has\n%v\nand one comparison\n%v", g, want)
				}
			}
		})
	}
}
