package wrap

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/tryout"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/wrapping"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// ask asks the user.
func (r *rewriting) ask() bool {
	fmt.Fprintf(os.Stderr, "%s %s? [y/N] ", r.name, text.Count(r.changes(), "server"))
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	if err != nil { // no line end was typed
		fmt.Fprintln(os.Stderr)
	}
	reexec.Say(r.name + ": nothing was changed")
	return false
}

// sayWhatHolds says on systems without confinement what a policy is worth there.
func (r *rewriting) sayWhatHolds() {
	if runtime.GOOS != "linux" && r.name == "wrap" {
		reexec.Say("on this system nothing of these policies is held but limits: servers can do what you can")
	}
}

// change changes the files.
func (r *rewriting) change() {
	backups := ""
	for _, f := range r.files {
		entries := r.of(f)
		if len(entries) == 0 {
			continue
		}
		result, err := f.Change(entries)
		if err != nil {
			r.refused(err.Error())
			for _, e := range entries {
				e.Change = false
			}
			continue
		}
		if result.Backup != "" {
			backups = filepath.Dir(result.Backup)
		}
		line := fmt.Sprintf("%s: %d %sped in %s", f.Host.Name, len(entries), r.name, f.Path)
		reexec.Say(text.Printable(line))
		if f.Host.Restart != "" {
			reexec.Say(f.Host.Title + ": " + f.Host.Restart)
		}
	}
	if backups != "" {
		reexec.Say("the files as they were: " + text.Printable(backups))
	}
}

// tryTime is how long a server has for its first answers: it may have to be installed.
const tryTime = 2 * time.Minute

// tryAll starts each server that was wrapped, and unwraps those that do not answer.
func (r *rewriting) tryAll() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, e := range r.entries {
		if !e.Change || e.Made == nil || e.State == edit.Wrapped { // that one was not put into the file now
			continue
		}
		if ctx.Err() != nil {
			r.putBack(e, "was not tried, for this command was interrupted")
			continue
		}
		words, known := e.Words()
		if !known {
			reexec.Say(e.Title() + " is not tried: its host puts something into the command for ${…}")
			continue
		}
		reexec.Say("starts " + e.Title() + " and waits for its tools, two minutes at most")
		tools, err := r.try(ctx, e, words)
		switch {
		case err == nil:
			reexec.Say(e.Title() + " answers: " + text.Count(tools, "tool"))
		case ctx.Err() != nil:
			r.putBack(e, "did not answer before this command was interrupted")
		default:
			r.putBack(e, "does not answer: "+withoutValues(err.Error(), wrapping.Secrets(e)))
		}
	}
}

// try starts a wrapped server as its host would, and asks for the server's tools.
func (r *rewriting) try(ctx context.Context, e *wrapping.Entry, words []string) (tools int, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	words[0] = r.scope.Program
	s := &tryout.Server{Command: words, Dir: e.Folder(), Env: append(os.Environ(), e.Variables()...)}
	if e.Made != nil && runtime.GOOS != "windows" { // a server that runs may have put another into a project's folder
		s.Document = wrapping.Shown(e)
		words[2], words[3] = "--policy-fd", "3"
	}
	return tryout.Ask(ctx, s)
}

// withoutValues is a text of a server without the values of variables and headers that it was given: they may be
// secrets.
func withoutValues(text string, values []string) string {
	const shortest = 4 // of a secret; "1" and "on" are in many words
	values = slices.DeleteFunc(values, func(value string) bool { return len(value) < shortest })
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) }) // one may hold another
	for _, value := range values {
		text = strings.ReplaceAll(text, value, "…")
	}
	return text
}

// putBack unwraps a server and says why.
func (r *rewriting) putBack(e *wrapping.Entry, why string) {
	if err := r.scope.Restore(e); err != nil {
		why += ", and its entry could not be put back: " + err.Error()
	} else {
		why += ": its entry is as it was"
	}
	r.refused(e.Title() + " " + why)
}
