package launch

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
)

// TakeSockets are the sockets for published ports that init opened in the sandbox's network namespace. The caller owns
// them.
func TakeSockets(s *Sandbox) []int {
	taken := s.kept.sockets
	s.kept.sockets = nil
	return taken
}

// ReadMessage reads a message of init's after the release, with the sockets that it carries; "" is the end of file. One
// of a [Parent] is that of no init's.
func ReadMessage(s *Sandbox) (text string, carried []int) {
	m, err := readMessage(s.Pipes.Ready)
	if parent := s.launch.Host.Parent; parent != nil {
		parent.ended = parent.ended || errors.Is(err, errReaped) // nothing has the other end
		if err == nil && parent.take(&m) {
			return layers.MsgCloned, nil
		}
	}
	if err != nil { // the carried descriptors are closed
		return m.text, nil
	}
	if m.text != layers.MsgPublish || m.pid != s.Init.PID {
		closeAll(m.carried)
		return m.text, nil
	}
	return m.text, m.carried
}
