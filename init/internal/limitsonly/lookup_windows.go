package limitsonly

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// find is the file of a command.
func find(o *order.Order) (string, error) {
	path, extensions := order.Lookup(o.Env, "PATH"), order.Lookup(o.Env, "PATHEXT")
	return findWindows(o.Command[0], o.Dir, path, extensions, func(p string) bool {
		info, err := os.Stat(p)
		return err == nil && !info.IsDir()
	})
}

// ids are none here: the server runs as the launcher's user.
type ids struct{}

func (ids) String() string { return "" }

func userOf(*policy.Policy) ids { return ids{} }

// checkUser refuses a policy that names a user.
func checkUser(p *policy.Policy) error {
	if p.User == "" {
		return nil
	}
	return &order.Refusal{Layer: order.Policy, Op: "user", Path: p.User,
		Err: errors.New("there are no such ids on Windows: the server runs as you")}
}
