package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// planTime is more than a launch may take until its evidence is complete.
const planTime = 40 * time.Second

// Foretell asks about the launch of an order in the confinement that a trial launch finds this machine to give. The
// first question says what is wrong with the policy's paths as run does.
func Foretell[T any](ord *order.Order, settled *order.Settled,
	ask func(*order.Order) (T, error)) (T, *launcher.Report, error) {
	answer, err := ask(ord)
	if err != nil {
		return answer, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), planTime)
	defer cancel()
	dir := ord.Dir
	if !Exists(dir) { // the policy's cwd is taken, and this process runs where nothing is
		dir = "/"
	}
	proved, err := launcher.Prove(ctx, settled.Written(), launcher.Target{Path: ord.Command[0],
		Args: ord.Command[1:], Dir: dir, Package: ord.Package})
	if err != nil || proved.Confinement == string(policy.Full) || settled.Policy.Level == policy.Privileged {
		return answer, proved, err
	}
	ord.Begin = proved.Confinement
	answer, err = ask(ord)
	return answer, proved, err
}

// Refusal is an error as run would say it.
func Refusal(err error) string {
	if r, ok := errors.AsType[*launcher.Error](err); ok && r.Hint != "" { // a plan's error has its hint in its text
		return err.Error() + " (" + notice.InFlags(r.Hint) + ")"
	}
	return err.Error()
}
