package basic

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// finish ends what the server left behind, tells how it went, and returns the exit code.
func (s *shim) finish() int {
	e := &s.end
	e.Killed += s.server.Kill()
	s.server.account(&s.status)
	s.output.drain()
	if s.server.failed != "" {
		s.Say(s.server.failed)
	}
	st := &s.status
	x := order.Exited{Event: "exited", Cause: e.Cause, ExitCode: st.code, Signal: st.signal, Killed: e.Killed,
		WallSeconds: time.Since(s.began).Seconds(), CPUSeconds: st.cpu.Seconds(), MaxRSS: st.rss}
	switch {
	case x.Cause != "":
	case st.spent:
		x.Cause = order.CauseCPU
	case st.signal != "":
		x.Cause = order.CauseSignal
	default:
		x.Cause = order.CauseExit
	}
	if e.Cause == order.CauseTimeout {
		x.ExitCode = ending.ExitTimeout
	}
	s.sink.Last(&x)
	return x.ExitCode
}
