package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func whyCommand() command {
	return command{
		name: "why", args: "[run's policy flags] QUESTION [-- COMMAND [ARG...]], or [--json] [REPORT]",
		short: "say what a server may do, or was refused, and what would allow it",
		long: `Answers one question about the server that run would start with the same flags and
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
		tips: `  mcp-sandbox why --allow-read ~/notes --path ~/notes/today.md --op write
  mcp-sandbox why --policy policy.json --host db.example.com:5432
  mcp-sandbox why --policy policy.json --path ~/.ssh/config -- node server.js
  mcp-sandbox why --json --syscall ptrace | jq .allowed
  mcp-sandbox why
  mcp-sandbox why report.jsonl
`,
		flags: whyOptions, run: why,
	}
}

// whyOptions are a launch's, with the question.
func whyOptions() *options {
	o := newOptions()
	o.takesCommand = true
	q := &o.question
	o.heading("Question")
	o.add("path", "PATH", "may the server read this file or folder?", "", expanded(absolute(&q.Path)))
	o.add("op", "read|write|exec", "may it do this with PATH? (default read)", "", setOp(&q.Op))
	o.add("socket", "PATH", "may it connect to this socket?", "", expanded(absolute(&q.Socket)))
	o.add("host", "HOST[:PORT]", "may it connect to this name or address? (default ports 80 and 443)", "",
		setHost(q))
	o.add("syscall", "NAME", "may it make this system call?", "", launchflags.Once(&q.Syscall))
	o.add("variable", "NAME", "does it get this variable?", "", launchflags.Once(&q.Variable))
	o.heading("Output")
	o.add("json", "", "print it as JSON", "true", truth(&o.json))
	o.heading("Policy")
	flags := o.Flags()
	o.add(flags[0].Name, "FILE", "start from this policy; the flags below add to it", "", expanded(flags[0].Set))
	o.add(flags[1].Name, "N", "the same, from a descriptor (3 or more)", "", flags[1].Set)
	o.addPolicy()
	addProfile(o)
	return o
}

// absolute takes a path, and makes a relative one absolute. Nothing is cleaned away: behind a symbolic link ".." leads
// elsewhere.
func absolute(at *string) func(string) error {
	return func(s string) error {
		if *at != "" {
			return launchflags.ErrTwice
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

func why(o *options, args []string) int {
	if o.question.IsZero() && len(o.Settings) == 0 && o.Source.String() == "" {
		if len(namesOf(args)) > 1 { // a command, of which nothing is asked
			return usageError("mcp-sandbox why", "the question is missing: --path, --socket, --host, --syscall or "+
				"--variable, in front of the command")
		}
		return whyReport(o, args)
	}
	q := o.question
	if q.Path != "" && q.Op == "" {
		q.Op = order.OpRead
	}
	command, err := commandOrTrue(args)
	if err == nil {
		err = q.Check()
	}
	if err != nil {
		return usageError("mcp-sandbox why", err.Error())
	}
	ord, lines := o.order(command)
	if len(lines) > 0 {
		return fail(lines...)
	}
	if o.start != nil {
		stored, err := withStored(o, ord, command)
		switch {
		case errors.Is(err, store.ErrNone):
			o.notes = append(o.notes, notInstalled(o)+"; this answer knows no file of the package")
		case err != nil:
			return fail(err.Error())
		default:
			ord = stored
		}
	}
	ord.Guided = true // a refusal is said as run says it
	o.tell()
	found := lookUp(&q)
	a, err := answerOf(ord, q)
	if err != nil {
		return fail(refusalOf(err))
	}
	if !found && a.Allowed == order.ActAllowed {
		a.Text += "; but this machine finds no address of the name"
	}
	fit(&a, &o.Launch)
	code := 0
	if o.json {
		code = show(asJSON(a))
	} else {
		code = show(answerPage(&a, os.Stdout))
	}
	if code == 0 && a.Allowed != order.ActAllowed {
		code = 1
	}
	return code
}

// commandOrTrue are the words of the server's command. A question without one is about a server of which nothing is
// known, and that needs nothing.
func commandOrTrue(args []string) ([]string, error) {
	if len(args) > 0 {
		return launchflags.Command(args)
	}
	return ask.AnyCommand()
}

// answerOf answers for the confinement that this machine gives.
func answerOf(ord *order.Order, q order.Question) (order.Answer, error) {
	p, err := policy.ParseCanonical(ord.Policy)
	if err != nil {
		return order.Answer{}, err
	}
	a, _, err := foretold(ord, &p, func(o *order.Order) (order.Answer, error) { return ask.Why(o, q) })
	return a, err
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
