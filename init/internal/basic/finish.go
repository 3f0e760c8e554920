package basic

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// finish ends what the server left behind, writes the last line of the report, and returns the exit code.
func (s *shim) finish(st status) int {
	e := &s.end
	e.Killed += s.server.Kill()
	s.server.account(&st)
	s.output.drain()
	if st.failed != "" {
		s.Say(st.failed)
	}
	x := order.Exited{Event: "exited", Cause: e.Cause, ExitCode: st.code, Signal: st.signal, Killed: e.Killed,
		WallSeconds: time.Since(s.began).Seconds(), CPUSeconds: st.cpu.Seconds(), MaxRSS: st.rss}
	switch {
	case x.Cause == order.CauseTimeout:
		x.ExitCode = ending.ExitTimeout
	case x.Cause != "":
	case st.spent:
		x.Cause = order.CauseCPU
	case st.signal != "":
		x.Cause = order.CauseSignal
	default:
		x.Cause = order.CauseExit
	}
	s.sink.Last(&x)
	return x.ExitCode
}
