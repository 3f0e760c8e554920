package wrap

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/wrapping"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// exitRefused is the answer of wrap and unwrap where a file, or a server of --server, was refused.
const exitRefused = 1

// A rewriting is one wrap or unwrap.
type rewriting struct {
	*words
	name    string // of the command
	scope   *wrapping.Scope
	files   []*wrapping.File
	entries []*wrapping.Entry
	code    int
}

func rewrite(f *cli.Flags, w *words, name string, args []string) int {
	r := &rewriting{words: w, name: name}
	var err error
	if r.scope, err = scopeOf(w.project, args); err != nil {
		return cli.UsageError(name, err.Error())
	}
	f.Stderr.Kept(cli.PoliciesVariable, cli.StatesVariable)
	r.read()
	r.entries = r.scope.Plan(r.files, wrapping.Choice{Unwrap: name == "unwrap", Servers: w.servers,
		Level: w.level, NoHosts: sync.OnceValue(holdsNoHosts)})
	r.tellLeft()
	if r.changes() == 0 {
		if !w.dry {
			r.settle()
		}
		reexec.Say(name + ": nothing to change")
		return r.result()
	}
	if !w.yes && !w.dry && (!page.IsTerminal(os.Stdin) || !page.IsTerminal(os.Stderr)) {
		return cli.Fail(name + ": nobody can be asked, for this is no terminal: look with --dry-run, then type --yes")
	}
	if code := r.preview(); code != 0 || w.dry || r.changes() == 0 {
		return max(code, r.result())
	}
	r.sayWhatHolds()
	if !w.yes && !r.ask() {
		return r.result()
	}
	r.change()
	if w.try {
		r.tryAll()
	}
	return r.result()
}

// read reads the hosts' files.
func (r *rewriting) read() {
	files, problems := r.scope.Files()
	r.files = files
	for _, p := range problems {
		r.refused(p.String())
	}
	sayMisplaced(r.name, files)
}

// settle ends what a killed wrap or unwrap began with the files.
func (r *rewriting) settle() {
	for _, f := range r.files {
		if f.Fixed != nil { // such a file is never changed
			continue
		}
		if err := f.Settle(); err != nil {
			r.refused(f.Host.Name + ": " + err.Error())
		}
	}
}

// refused tells of a file or a server that was to be changed and was not.
func (r *rewriting) refused(line string) {
	reexec.Say(r.name + ": " + text.Printable(line))
	r.code = exitRefused
}

// tellLeft names the servers that are left alone.
func (r *rewriting) tellLeft() {
	for _, name := range r.servers {
		if !slices.ContainsFunc(r.entries, func(e *wrapping.Entry) bool { return e.Name == name }) {
			r.refused("no server " + text.Quote(name) + " in the files of these hosts")
		}
	}
	for _, e := range r.entries {
		if r.name == "wrap" && e.State == edit.Wrapped && !e.Change {
			for _, line := range few(e.Status().Warnings, e.Policy) {
				reexec.Say(e.Title() + ": " + line)
			}
		}
		switch {
		case e.Change || e.Left == "" || r.name == "unwrap" && e.State == edit.Cannot && len(r.servers) == 0 &&
			!isOwn(e.Command):
		case len(r.servers) > 0 || e.File.Fixed != nil && e.State != edit.Cannot:
			r.refused(e.Title() + " is left alone: " + e.Left)
		default:
			reexec.Say(e.Title() + " is left alone: " + text.Printable(e.Left+r.wayOut(e)))
		}
	}
}

// isOwn reports whether a command is this program: whoever wrote such an entry hopes that unwrap takes it back.
func isOwn(command []string) bool {
	return len(command) > 0 && strings.TrimSuffix(filepath.Base(command[0]), ".exe") == "mcp-sandbox"
}

// wayOut is the line that would wrap a server without a profile.
func (r *rewriting) wayOut(e *wrapping.Entry) string {
	if !e.Level {
		return ""
	}
	line := " (mcp-sandbox wrap " + e.File.Host.Name
	if r.project != "" {
		line += " --project " + text.Shell(r.project)
	}
	server := " --server "
	if strings.HasPrefix(e.Name, "-") {
		server = " --server="
	}
	return line + server + text.Shell(e.Name) + " --level standard)"
}

// of are the entries of a file.
func (r *rewriting) of(f *wrapping.File) (all []*wrapping.Entry) {
	for _, e := range r.entries {
		if e.File == f && e.Change {
			all = append(all, e)
		}
	}
	return all
}

// changes is how many servers are to be changed.
func (r *rewriting) changes() (n int) {
	for _, e := range r.entries {
		if e.Change {
			n++
		}
	}
	return n
}

// preview shows what is to be changed; with --json, whose result is on standard output, on standard error.
func (r *rewriting) preview() int {
	var b strings.Builder
	for _, f := range r.files {
		entries := r.of(f)
		if len(entries) == 0 {
			continue
		}
		s, err := f.Diff(entries)
		if err != nil {
			r.refused(f.Host.Name + ": " + f.Path + ": " + err.Error())
			for _, e := range entries {
				e.Change = false
			}
			continue
		}
		b.WriteString(text.Lines(s))
		for _, e := range entries {
			if e.Made != nil {
				b.WriteString(opened(e))
			}
		}
	}
	if *r.json {
		os.Stderr.WriteString(b.String())
		return 0
	}
	return cli.Show(b.String())
}

// opened are the lines on the policy of a server to wrap.
func opened(e *wrapping.Entry) string {
	lines := []string{e.Title() + ": " + e.Opens(), "    policy " + e.Policy}
	if e.Kept {
		lines[1] += " (remove that file for a new one)"
	}
	for _, line := range few(e.Wide(), e.Policy) {
		lines = append(lines, "    "+line)
	}
	withheld := false
	for _, n := range e.Made.Notices {
		line, _, flag := strings.Cut(n.Line, " (--") // of run, and this command has no such flags
		withheld = withheld || flag
		lines = append(lines, "    "+line)
	}
	if withheld {
		lines = append(lines, "    what the server needs of that is for you to write into the policy")
	}
	for i := range lines {
		lines[i] = text.Printable(lines[i]) + "\n"
	}
	return strings.Join(lines, "")
}

// result prints the servers as they are now, if that is asked for, and is the exit status.
func (r *rewriting) result() int {
	if !*r.json {
		return r.code
	}
	files, _ := r.scope.Files()
	return max(r.code, showServers(files))
}

// probeTime is far more than all trials take on the slowest machine.
const probeTime = 2 * time.Minute

// holdsNoHosts reports whether this machine cannot hold a list of hosts.
func holdsNoHosts() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	m, err := launcher.Probe(ctx)
	return err == nil && !m.HoldsHosts()
}
