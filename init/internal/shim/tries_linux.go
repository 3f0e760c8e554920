package shim

import (
	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/report"
	"github.com/security-mcp/mcp-sandbox/init/internal/tries"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// tellTries tells the host of a probe what single calls come to on this machine. They explain and decide nothing: where
// there is no answer, the launch that follows is no different.
func tellTries(s *report.Sink) {
	if t, err := tries.Run(); err == nil {
		s.NotifyHost(t)
	}
}

// Sockets is the refusal of a process that starts a shim, where a filter around it ends whoever makes one of the calls
// of sockets. The thread must be locked.
func Sockets() *order.Refused {
	err := launch.CheckSockets()
	if err == nil {
		return nil
	}
	r := order.NewRefused(err)
	r.Hint = diagnose.NeedsSockets
	return r
}
