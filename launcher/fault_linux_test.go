package launcher

import (
	"context"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// faulty is a channel that panics behind its lines.
type faulty struct {
	lines  []string
	hungUp chan *os.Process
}

func (f *faulty) Next() []byte {
	line := f.lines[0] // the fault is that of an index
	f.lines = f.lines[1:]
	return []byte(line + "\n")
}
func (f *faulty) HangUp(p *os.Process)  { f.hungUp <- p }
func (f *faulty) Begin(<-chan struct{}) {}
func (f *faulty) Ask(*os.Process) error { return nil }
func (f *faulty) Follow(int)            {}
func (f *faulty) Close() error          { return nil }

// A fault in the goroutine that reads the records of a launch ends the launch, and the host is told.
func TestFaultOfTheRecords(t *testing.T) {
	const enforced = `{"event":"enforced","version":1,"id":"0f","confinement":"full"}`
	for _, lines := range [][]string{{}, {enforced}} {
		f := &faulty{lines: lines, hungUp: make(chan *os.Process, 1)}
		sb := newSandbox(context.Background(), "/bin/true", new(order.Order), f)
		if err := sb.Cmd.Run(); err != nil {
			t.Fatal(err)
		}
		r, err := sb.Wait(t.Context())
		if len(lines) == 0 && err == nil || len(lines) > 0 && (err != nil || r.Cause != order.CauseSupervisorLost) {
			t.Errorf("%d lines: %+v, %v", len(lines), r, err)
		}
		if p := <-f.hungUp; p != sb.Cmd.Process {
			t.Errorf("%d lines: the launch was not ended", len(lines))
		}
	}
}
