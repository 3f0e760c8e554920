package supervise

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/privdir"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// openPrivate makes the folder that stands for /tmp and the home where there is no tmpfs of the sandbox's own.
func (s *shim) openPrivate() (err error) {
	m := &s.machine
	s.private, err = privdir.Make(privdir.Request{Folders: []string{fsview.PrivateHome, fsview.PrivateTmp}, File: confine.CanaryFile,
		UID: m.UID, GID: m.GID, Chown: m.Root, Swappable: s.rung == policy.Reduced})
	if none := (*privdir.NoBase)(nil); errors.As(err, &none) {
		return &order.Refusal{Layer: order.Root, Op: diagnose.OpPrivate, Path: none.Bases, Err: err}
	}
	return err
}

// forget gives back what an attempt without namespaces held.
func (s *shim) forget() {
	s.private.Remove(privdir.AtEnd(func() bool { return ending.Asks(signals.Next(s.asks)) }))
	if s.image >= 0 {
		unix.Close(s.image)
		s.image = -1
	}
}
