package files

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// maxScripts is how many scripts may be each the interpreter of the one before; execve(2) has the same bound.
const maxScripts = 5

// judgeInterpreter looks whether the interpreter of a script can be executed as well.
func (l *Launch) judgeInterpreter(v verdict, script string, depth int) verdict {
	at := l.Plan.Interpreter(script)
	switch {
	case at == "":
		return v
	case depth == maxScripts:
		v.other(order.ByPermissions, script+" cannot be executed: too many interpreters are scripts themselves")
		return v
	case at[0] != '/': // execve(2) looks from the folder of the process
		at = strings.TrimRight(l.Plan.View.Cwd, "/") + "/" + at
	}
	if l.Policy.Subprocess.Allow == policy.No { // the kernel starts the interpreter within the one execve
		l = &Launch{Plan: l.Plan, Open: l.Open, Landlock: l.Landlock, Policy: l.Policy, Replan: l.Replan}
		l.Policy.Subprocess.Allow = policy.Yes
	}
	in := l.judgePath(at, order.OpExec, depth+1)
	if in.Allowed == order.ActAllowed {
		return v
	}
	in.Seen, in.OnHost = v.Seen, v.OnHost
	in.Text = script + " is a script, and its first line names " + at + ": " + in.Text
	return in
}
