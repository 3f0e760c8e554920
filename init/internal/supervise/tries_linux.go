package supervise

import "github.com/security-mcp/mcp-sandbox/init/internal/tries"

// tries tells the host of a probe what single calls come to on this machine. They explain and decide nothing: where
// there is no answer, the launch that follows is no different.
func (s *shim) tries() {
	if !s.Order.Probe || s.Host < 0 {
		return
	}
	if t, err := tries.Run(); err == nil {
		s.sink.Tell(t)
	}
}
