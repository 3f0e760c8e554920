package ask

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

// Calls is the program with which [reexec.Run] would confine the server of an order, one line a call with the result it
// demands. Nothing is started.
func Calls(o *order.Order) ([]string, error) { return foreseen(o, (*launch.Launch).Calls) }

// Plan is the view and the environment that [reexec.Run] would give the server of an order, in the confinement with
// which the order begins. Nothing is started.
func Plan(o *order.Order) (*order.Plan, error) { return foreseen(o, (*launch.Launch).Plan) }

func foreseen[T any](o *order.Order, tell func(*launch.Launch) (T, error)) (told T, err error) {
	if err = reexec.Unprivileged(); err == nil {
		told, err = shim.Foreseen(o, tell)
	}
	return told, err
}
