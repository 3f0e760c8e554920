package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/installing"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Line is the command line of a launch: the values of its flags.
type Line struct {
	launchflags.Launch
	Report  *Report
	Profile string                // --profile: an id, "none", or "" for the profile of the package
	Install *installing.Installer // its flags

	flags    *cli.Flags
	switches order.Flags // those of run
	files    envFiles
}

// New returns the line of a command whose flags are added next.
func New(f *cli.Flags) *Line {
	f.TakesCommand = true
	l := &Line{Launch: launchflags.NewLaunch(), Install: installing.New(f), flags: f}
	l.Report = &Report{launch: &l.Launch, stderr: &f.Stderr}
	return l
}

// ForLaunch defines all flags of a launch but those of an install.
func ForLaunch(f *cli.Flags) *Line {
	l := New(f)
	f.Refuse = func(lines ...string) int {
		l.Report.Open() // a report that was understood gets the refusal as well
		return l.Report.Refuse(lines...)
	}
	f.Reach = func(words []string) { l.Report.reach(nil, words) }
	f.Heading("Policy and report")
	l.AddSource()
	f.Value("report", "FILE", "write what was proved to FILE, as JSON Lines", HomeExpanded(l.Report.set))
	f.Value(l.Flags()[2].Name, "N", "the same, to a descriptor (3 or more)", l.Flags()[2].Set)
	f.Switch("verbose", "say on standard error what holds", &l.switches.Verbose)
	f.Switch("quiet", "say nothing on standard error but why it refuses to start", &f.Stderr.Quiet)
	f.Heading("Terminal and output")
	f.On("linux", cli.Line{Name: "tty", Text: "give the server a terminal of its own, connected with this one"}, "true",
		cli.Truth(&l.switches.TTY))
	f.Switch("stdout-guard", "send lines that are no JSON-RPC messages to standard error", &l.switches.StdoutGuard)
	l.AddPolicy()
	f.Heading("Packages (npx, pnpm dlx, bunx, deno run, pipx run, uvx, go run)")
	l.AddProfile()
	return l
}

// AddSource defines the flags of the document.
func (l *Line) AddSource() {
	flags := l.Flags()
	l.flags.Value(flags[0].Name, "FILE", "start from this policy; the flags below add to it",
		HomeExpanded(flags[0].Set))
	l.flags.Value(flags[1].Name, "N", "the same, from a descriptor (3 or more)", flags[1].Set)
}

// AddProfile defines the flag of the profile.
func (l *Line) AddProfile() {
	l.flags.Value("profile", "ID|none", "add what this package needs (default: the package that COMMAND starts)",
		launchflags.Once(&l.Profile))
}

// AddPolicy defines the flags of all keys, and behind --env that of a file of variables.
func (l *Line) AddPolicy() {
	for _, k := range KeyFlags() {
		if k.Key == "" {
			l.flags.Heading(k.text)
			continue
		}
		l.add(&k)
		if k.Key == "env" {
			l.flags.Value("env-file", "FILE", "set the variables of a file of lines NAME=VALUE",
				HomeExpanded(l.readEnvFile))
		}
	}
}

// add defines the flag of one key. A bad value is refused before the document is read.
func (l *Line) add(k *KeyFlag) {
	take := func(s string) error {
		l.Settings = append(l.Settings, launchflags.Setting{Flag: k.Flag(), Key: k.Key, Value: s})
		return new(policy.Policy).Set(k.Key, s)
	}
	switch name := strings.TrimPrefix(k.Flag(), "--"); {
	case k.always != "":
		l.flags.Fixed(name, k.text, k.always, valued(k.Key), take)
	case k.value != "":
		l.flags.Value(name, k.value, k.text, take)
	default:
		l.flags.SwitchOf(name, k.text, take)
	}
}

// HomeExpanded takes a path with the home in place of "~/".
func HomeExpanded(take func(path string) error) func(string) error {
	return func(path string) error {
		home := order.Home(os.Environ())
		if rest, ok := strings.CutPrefix(path, "~/"); ok && filepath.IsAbs(home) {
			path = filepath.Join(home, rest)
		}
		return take(path)
	}
}

// Command returns the words of the server's command.
func Command(args []string) ([]string, error) {
	if len(args) < 2 {
		return nil, errors.New("no command: it comes behind the flags, as in mcp-sandbox run node server.js")
	}
	return launchflags.Command(args)
}
