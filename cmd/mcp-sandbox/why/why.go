// Package why is the command that answers what a server may do, and lists what one was refused.
package why

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Command is why.
func Command() cli.Command {
	return cli.Command{
		Name: "why", Args: "[run's policy flags] QUESTION [-- COMMAND [ARG...]], or [--json] [REPORT]",
		Short: "say what a server may do, or was refused, and what would allow it",
		Long: `Answers one question about the server that run would start with the same flags and
COMMAND: whether the policy allows it to read, write or execute a file, to connect to
a socket or a host, to make a system call, or gives it a variable. The planner and
the matcher of a launch answer; the server does not run.

Below a denial stand the flag and the JSON patch (RFC 6902, for the FILE of --policy)
of the smallest change that allows the act, and what else that change opens. Both were
tried on a copy of the policy. Nothing is changed. Where nothing stands there, no
change helps: the file's own permissions refuse it, or nothing is there on the host.

For a path "allowed" means that the act reaches the host's own file. The exit status
is 0 for allowed, 1 for denied or "depends" (on a call's arguments), 125 for a policy
or a question that is wrong.

Without a question it lists what a server was refused while it ran, the most frequent
first: how often, what, why, and the flag that would allow it. REPORT is a file that
run --report wrote; without it the last of those that run keeps in
$XDG_STATE_HOME/mcp-sandbox/reports is read. The file may come from a stranger. The
exit status is 0 if nothing was refused, 1 if something was, and 125 for a file that
is no report, or was cut off or changed.
`,
		Tips: `  mcp-sandbox why --allow-read ~/notes --path ~/notes/today.md --op write
  mcp-sandbox why --policy policy.json --host db.example.com:5432
  mcp-sandbox why --policy policy.json --path ~/.ssh/config -- node server.js
  mcp-sandbox why --json --syscall ptrace | jq .allowed
  mcp-sandbox why
  mcp-sandbox why report.jsonl
`,
		Setup: setup,
	}
}

// setup defines the policy flags of a launch, with the question.
func setup(f *cli.Flags) cli.Run {
	l := pipeline.New(f)
	q := &order.Question{}
	f.Heading("Question")
	f.Value("path", "PATH", "may the server read this file or folder?", pipeline.HomeExpanded(absolute(&q.Path)))
	f.Value("op", "read|write|exec", "may it do this with PATH? (default read)", setOp(&q.Op))
	f.Value("socket", "PATH", "may it connect to this socket?", pipeline.HomeExpanded(absolute(&q.Socket)))
	f.Value("host", "HOST[:PORT]", "may it connect to this name or address? (default ports 80 and 443)", setHost(q))
	f.Value("syscall", "NAME", "may it make this system call?", launchflags.Once(&q.Syscall))
	f.Value("variable", "NAME", "does it get this variable?", launchflags.Once(&q.Variable))
	f.Heading("Output")
	json := f.JSON()
	f.Heading("Policy")
	l.AddSource()
	l.AddPolicy()
	l.AddProfile()
	return func(args []string) int {
		if q.IsZero() && len(l.Settings) == 0 && l.Source.String() == "" {
			if len(cli.Operands(args)) > 1 { // a command, of which nothing is asked
				return cli.UsageError("why", "the question is missing: --path, --socket, --host, --syscall or "+
					"--variable, in front of the command")
			}
			return refusals(f, args, *json)
		}
		if q.Path != "" && q.Op == "" {
			q.Op = order.OpRead
		}
		command, err := commandOrTrue(args)
		if err == nil {
			err = q.Check()
		}
		if err != nil {
			return cli.UsageError("why", err.Error())
		}
		a, why := answer(f, l, q, command)
		if len(why) > 0 {
			return cli.Fail(why...)
		}
		code := 0
		if *json {
			code = cli.ShowJSON(a)
		} else {
			code = cli.Show(answerPage(a, os.Stdout))
		}
		if code == 0 && a.Allowed != order.ActAllowed {
			code = 1
		}
		return code
	}
}

// absolute takes a path, and makes a relative one absolute. Nothing is cleaned away: behind a symbolic link ".." leads
// elsewhere.
func absolute(at *string) func(string) error {
	return func(s string) error {
		if *at != "" {
			return launchflags.ErrTwice
		}
		if s == policy.AgentSocket { // as --allow-unix-socket has it
			if s = os.Getenv(strings.TrimPrefix(s, "$")); s == "" {
				return errors.New("SSH_AUTH_SOCK is not set")
			}
		}
		if !filepath.IsAbs(s) {
			dir, err := launchflags.Folder()
			if err != nil {
				return err
			}
			s = strings.TrimSuffix(dir, "/") + "/" + s
		}
		*at = s
		return nil
	}
}

func setOp(at *order.Op) func(string) error {
	return func(s string) error {
		switch op := order.Op(s); op {
		case order.OpRead, order.OpWrite, order.OpExec:
			*at = op
			return nil
		}
		return errors.New(strconv.Quote(s) + " is none of read, write and exec")
	}
}

// commandOrTrue are the words of the server's command. A question without one is about a server of which nothing is
// known, and that needs nothing.
func commandOrTrue(args []string) ([]string, error) {
	if len(args) > 0 {
		return launchflags.Command(args)
	}
	return ask.AnyCommand()
}

// answer answers for the confinement that this machine gives.
func answer(f *cli.Flags, l *pipeline.Line, q *order.Question, command []string) (*order.Answer, []string) {
	s := l.Start(command)
	d, why := l.Decide(s, nil)
	if len(why) > 0 {
		return nil, why
	}
	ready, err := l.Find(s)
	var missing []string
	switch {
	case errors.Is(err, store.ErrNone):
		missing = []string{l.Install.Missing(s.Package) + "; this answer knows no file of the package"}
	case err != nil:
		return nil, []string{err.Error()}
	}
	if d, why = l.DecideOwner(s, d, ready); len(why) > 0 {
		return nil, why
	}
	f.Stderr.All(f.Notes, s.Notes, d.Notes, missing)
	found := lookUp(q)
	a, proved, err := pipeline.Foretell(l.Order(s, d, ready), d.Settled,
		func(o *order.Order) (order.Answer, error) { return ask.Why(o, *q) })
	if err != nil {
		return nil, []string{pipeline.Refusal(err)}
	}
	if none, ok := q.Proved(proved); ok {
		return &none, nil
	}
	if !found && a.Allowed == order.ActAllowed {
		a.Text += "; but this machine finds no address of the name"
	}
	fit(&a, &l.Launch)
	return &a, nil
}

// fit makes the patch of an answer one of the FILE given. There is none for a document from a descriptor, which cannot
// be read again, and none that takes away what a flag said.
func fit(a *order.Answer, l *launchflags.Launch) {
	document := []byte(`{"version": 1}`)
	var err error
	switch {
	case l.Source.File != "":
		document, err = l.Source.Document()
	case l.Source.FD >= 0:
		a.Patch = nil
		return
	}
	patch := a.Patch
	for _, p := range patch { // a flag counts over the document, but for lists
		flag := l.FlagOf(launchflags.Key(p.Path))
		if flag != "" && p.Op == "add" && !strings.HasSuffix(p.Path, "/-") {
			a.Patch = nil
			a.Text += "; a flag says otherwise: leave out that " + flag
			return
		}
	}
	if err == nil {
		a.Patch, err = ask.FitPatch(document, patch)
	}
	if err == nil {
		return
	}
	a.Patch = nil
	for _, p := range patch {
		if flag := l.FlagOf(launchflags.Key(p.Path)); p.Op == "remove" && flag != "" {
			a.Text += "; a flag says so: leave out that " + flag
			return
		}
	}
}
