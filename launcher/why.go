package launcher

import (
	"context"

	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// The parameters and the result of [Why].
type (
	// A Question asks whether a server may do one act.
	Question = order.Question
	// An Op is the kind of access to a Question's Path.
	Op = order.Op
	// An Answer says whether an act is allowed, because of which entry, and what would allow it.
	Answer = order.Answer
	// An Allowance is one of allowed, denied and depends.
	Allowance = order.Allowance
)

// The ops, and the allowances.
const (
	OpRead  = order.OpRead
	OpWrite = order.OpWrite
	OpExec  = order.OpExec

	ActAllowed = order.ActAllowed
	ActDenied  = order.ActDenied
	ActDepends = order.ActDepends // on a system call's arguments
)

// Why answers a question about the server that [Command] would prepare. The server does not run. Paths of the question
// are absolute, and without an Op a path is asked about for reading. A Target without a Path stands for a server of
// which no command is known, and that needs nothing.
//
// The answer is of the confinement that this machine gives, which is found out as [Prove] does, and of the moment:
// files and their permissions change. The Patch of an answer applies to the document of p, as
// [policy.Policy.AppendJSON] writes it. Each change that an answer suggests was planned, and the act is then allowed;
// all else that the change opens is in Opens. A host should not make a change without asking its user.
//
// Why looks no name up: whether the addresses that a name has now may be connected to is answered for those in the
// question's Found.
//
// The error is that of a question which has no answer, or of a launch that would be refused. Other systems than Linux
// hold no files and hosts back: there the error is [errors.ErrUnsupported].
func Why(ctx context.Context, p policy.Policy, t Target, q Question) (Answer, error) {
	if !reexec.Armed() {
		return Answer{}, ErrNotArmed
	}
	if q.Path != "" && q.Op == "" {
		q.Op = OpRead
	}
	err := privileged()
	if err == nil {
		err = q.Check()
	}
	if err == nil && t.Path == "" {
		var command []string
		if command, err = ask.AnyCommand(); err == nil {
			t.Path, t.Args = command[0], command[1:]
		}
	}
	if err != nil {
		return Answer{}, err
	}
	o, err := newOrder(p, t)
	if err != nil {
		return Answer{}, &Error{Layer: order.Policy, Op: "check", Err: err}
	}
	a, err := ask.Why(o, q)
	if err != nil {
		return Answer{}, err
	}
	if p.Level != policy.Privileged {
		proved, err := Prove(ctx, p, t)
		if err != nil {
			return Answer{}, err
		}
		if none, ok := q.Proved(proved); ok {
			return none, nil
		}
		if proved.Confinement != string(policy.Full) {
			o.Begin = proved.Confinement
			if a, err = ask.Why(o, q); err != nil {
				return Answer{}, err
			}
		}
	}
	a.Patch, err = ask.FitPatch(p.AppendJSON(nil), a.Patch)
	return a, err
}
