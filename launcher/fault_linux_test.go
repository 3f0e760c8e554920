package launcher

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
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

// silent is a channel without a shim.
type silent struct {
	faulty
	closed chan bool
}

func (s *silent) Next() []byte { return nil }
func (s *silent) Close() error { close(s.closed); return nil }

// Close lets go of all descriptors also where Start has failed, and the host keeps the Cmd.
func TestCloseAfterFailedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end, other, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		s := &silent{faulty{hungUp: make(chan *os.Process, 1)}, make(chan bool)}
		sb := newSandbox(t.Context(), "/no such program", new(order.Order), s, end)
		if err := sb.Cmd.Start(); err == nil {
			t.Fatal("a program that is not there was started")
		}
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
		testbed.Pass(2 * failedAfter)
		select {
		case <-s.closed:
		default:
			t.Error("the host's end is open")
		}
		if err := end.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("the shim's end is open: %v", err)
		}
		if _, err := sb.Wait(t.Context()); !errors.Is(err, errNotStarted) {
			t.Errorf("Wait: %v", err)
		}
		runtime.KeepAlive(sb)
	})
}

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
