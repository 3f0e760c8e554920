package limitsonly

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// exited is the end of a server's process by itself, or by a signal if that has a name.
func exited(code int, signal string) order.Exited {
	x := order.Exited{Event: "exited", Cause: order.CauseExit, ExitCode: code, Signal: signal}
	if signal != "" {
		x.Cause = order.CauseSignal
	}
	return x
}

// finish ends the server's remaining processes, writes the last line of the report, and returns the exit code.
func (s *shim) finish(first *order.Enforced, end *notice.End) int {
	x := end.Exited
	x.Killed = s.end.Killed + s.server.Kill()
	s.server.account(x)
	s.output.drain()
	if s.end.Cause != "" {
		x.Cause = s.end.Cause
	}
	if x.Cause == order.CauseTimeout {
		x.ExitCode = ending.ExitTimeout
	}
	if s.server.failed != "" {
		s.Say(s.server.failed)
	} else if text := end.Line(s.Order, first); text != "" {
		s.say(text)
	}
	x.WallSeconds = time.Since(s.began).Seconds()
	s.sink.Last(x)
	return x.ExitCode
}

// say writes a line that is no refusal.
func (s *shim) say(line string) {
	if !s.Order.Quiet {
		s.Say(line)
	}
}
