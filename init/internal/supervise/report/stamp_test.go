package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// The first line and the last have one id, which no other launch has, and the time at which each was written.
func TestLinesAreStamped(t *testing.T) {
	ids := map[string]bool{}
	for range 3 {
		f, err := os.Create(filepath.Join(t.TempDir(), "report"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		began := time.Now().Truncate(time.Millisecond)
		s := Sink{Report: int(f.Fd()), Host: -1}
		if err := s.First(&order.Enforced{Event: "enforced"}); err != nil {
			t.Fatal(err)
		}
		s.Last(&order.Exited{Event: "exited"})
		f.Seek(0, 0)
		var first order.Enforced
		var last order.Exited
		d := json.NewDecoder(f)
		if err := d.Decode(&first); err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(&last); err != nil {
			t.Fatal(err)
		}
		if len(first.ID) != 32 || first.ID != last.ID || ids[first.ID] {
			t.Errorf("ids %q and %q", first.ID, last.ID)
		}
		ids[first.ID] = true
		if first.Time.Before(began) || last.Time.Before(first.Time) || last.Time.After(time.Now()) {
			t.Errorf("began %s, first %s, last %s", began, first.Time, last.Time)
		}
	}
}
