package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// grace is between the request to end and the kill: with that nothing of an install runs 3 s after its context.
const grace = time.Second

// A Cell is the sandbox of one install.
type Cell struct {
	Row      *Manager
	Title    string          // of the packages to install
	Level    policy.Level    // as in the options of an install
	Env      []string        // the user's, as far as an install may have it
	Size     policy.Quantity // how many bytes the install may have on the disk; 0 is for defaultSize
	Terminal io.Writer
	Stall    time.Duration   // how long the install may stand still; 0 is for stallAfter
	Home     policy.Quantity // the size of the private home; 0 is the policy's own
	Lines    []string        // for Ready.Lines
}

// hostNetwork reports whether the install gets the host's network.
func (c *Cell) hostNetwork() bool {
	return c.Level == policy.LevelNetwork || c.Level == policy.Privileged
}

// policy is an install's policy: reach the registries, and write its stage, which is no key of a policy.
func (c *Cell) policy(ctx context.Context, j *Job, s Step) (p policy.Policy, err error) {
	p = policy.Policy{Level: policy.Standard, Cwd: j.Stage}
	p.Limits.Grace, p.Filesystem.TmpSize = policy.Duration(grace), c.Home
	p.Limits.FileSize = c.most() // the kernel's bound of one file; the watch has that of all
	if s.Alone {
		p.Subprocess.Allow = policy.No
	}
	for name, value := range s.Env {
		p.Env = append(p.Env, policy.Variable{Name: name, Value: value})
	}
	slices.SortFunc(p.Env, func(a, b policy.Variable) int { return strings.Compare(a.Name, b.Name) })
	if c.hostNetwork() {
		p.Level = policy.LevelNetwork
		return p, nil
	}
	if folder := OwnFolder(j.Program); folder != "" && !platform.Within(j.Program, j.Stage) { // there an answer links
		p.Filesystem.AllowRead = []string{folder}
	}
	if !s.Local {
		p.Network.AllowedDomains, err = j.Settings.domains(ctx)
		slices.Sort(p.Network.AllowedDomains)
		p.Network.AllowedDomains = slices.Compact(p.Network.AllowedDomains)
	}
	return p, err
}

// environment is the user's, of which the program gets the variables that every server gets. With the host's
// network the program dials a proxy itself: that of the manager's configuration, too.
func (c *Cell) environment(s *Settings) []string {
	if !c.hostNetwork() || s.Proxy == "" || c.hasProxy() {
		return c.Env
	}
	return append(slices.Clone(c.Env), "https_proxy="+s.Proxy, "http_proxy="+s.Proxy, "no_proxy="+s.NoProxy)
}

// most is how many bytes the install may have on the disk.
func (c *Cell) most() policy.Quantity { return cmp.Or(c.Size, defaultSize) }

// hasProxy reports whether the environment names a proxy, by which a sandbox reaches its hosts.
func (c *Cell) hasProxy() bool {
	for _, name := range []string{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"} {
		if value := order.Lookup(c.Env, name); value != "" {
			return true
		}
	}
	return false
}

// launch runs one step.
func (c *Cell) launch(ctx context.Context, j *Job, s Step) error {
	p, err := c.policy(ctx, j, s)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &watch{stage: j.Stage, title: c.Title, terminal: c.Terminal, began: time.Now(),
		limit: cmp.Or(c.Stall, stallAfter), most: c.most(), builds: speeches[c.Row.Name].builds}
	if s.Slow {
		w.limit = max(w.limit, slowStallAfter)
	}
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: j.Program, Args: s.Args, Env: c.environment(j.Settings),
		Dir: j.Stage, Stage: j.Stage})
	if err != nil {
		return c.refused(err)
	}
	defer sb.Close()
	sb.Cmd.Stdout, sb.Cmd.Stderr = w, w
	if err := sb.Cmd.Start(); err != nil {
		return err
	}
	end := w.start(func(err error) {
		if cancel(err); !errors.Is(err, errStalled) { // no grace to write more
			sb.Cmd.Process.Kill()
		}
	})
	if !s.Local && !c.hasProxy() {
		go j.Settings.probe(ctx, cancel)
	}
	sb.Cmd.Wait()
	end()
	last, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	result, err := sb.Wait(last)
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		return c.stalled(j, w, result)
	case ctx.Err() != nil: // of the caller, or by the probe
		return context.Cause(ctx)
	case err != nil:
		return c.refused(err)
	case result.Cause == order.CauseOOM:
		return fmt.Errorf("%s needed more memory than an install gets", filepath.Base(j.Program))
	case result.Cause != order.CauseExit || result.ExitCode != 0:
		return c.failed(ctx, j, w, result)
	}
	if r, err := sb.Report(last); err == nil && c.hostNetwork() {
		line := "the install had the host's network, in confinement " + r.Confinement +
			" (--level " + string(c.Level) + ")"
		if !slices.Contains(c.Lines, line) {
			c.Lines = append(c.Lines, line)
		}
	}
	return nil
}

// refused is a launch that the sandbox refused: where the machine cannot confine it, with the ways out.
func (c *Cell) refused(err error) error {
	e, ok := errors.AsType[*launcher.Error](err)
	if !ok || e.Layer == order.Exec || e.Layer == order.Policy && e.Op != "network.allowedDomains" {
		return err
	}
	if c.hostNetwork() {
		return fmt.Errorf("the sandbox of the install: %w", err)
	}
	fixes := strings.Split(e.Hint, "; or ") // of which keys of the install's own policy are none that a user can change
	fixes = slices.DeleteFunc(fixes, func(fix string) bool {
		return strings.Contains(fix, "minConfinement") || strings.Contains(fix, "level network")
	})
	fix := cmp.Or(strings.Join(fixes, "; or "), "`mcp-sandbox doctor` says what this machine lacks")
	return fmt.Errorf("an install reaches its registries by name, and this machine cannot hold that: %w: %s; "+
		"or type --level network, which gives the install and the server the host's network", err, fix)
}

// stalled is an install that stood still, perhaps because the program asked a refused host again and again.
func (c *Cell) stalled(j *Job, w *watch, result *launcher.Result) error {
	awaited, program := speeches[c.Row.Name].awaited(w.text()), filepath.Base(j.Program)
	state := program + " waits for " + cmp.Or(Redact(awaited), "a registry")
	if r := j.Settings.of(awaited); r != "" && !strings.Contains(awaited, "://") {
		state += " from " + r
	}
	if awaited == "" && w.limit >= slowStallAfter { // a compiler or an install script may be silent
		state = fmt.Sprintf("%s stands still, or a program that %[1]s started", program)
	}
	line := fmt.Sprintf("nothing came for %s: %s", w.limit, state)
	if result != nil {
		line = strings.Join(append([]string{line}, c.denied(j, result)...), "; ")
	}
	return errors.New(text.Printable(line))
}

// failed returns the reason for a program that ended with an error.
func (c *Cell) failed(ctx context.Context, j *Job, w *watch, result *launcher.Result) error {
	if !c.hasProxy() && j.Settings.Proxy == "" {
		if err := j.Settings.unreachable(ctx, j.Start.Specs); err != nil {
			return err
		}
	}
	var parts []string
	if text := j.explain(c.Row, w.text()); text != "" {
		parts = append(parts, text)
	}
	parts = append(parts, c.denied(j, result)...)
	if len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%s ended with %d: %s", filepath.Base(j.Program), result.ExitCode,
			RedactAll(lastWords(w.text()))))
	}
	return errors.New(text.Printable(strings.Join(parts[:min(len(parts), 3)], "; ")))
}

// denied returns the acts that the sandbox refused to the program, a part of a line each.
func (c *Cell) denied(j *Job, result *launcher.Result) (parts []string) {
	for _, d := range result.Denied {
		host := d.Host
		if host == "" {
			host = d.Address
		}
		if d.Port != 0 {
			host = fmt.Sprintf("%s:%d", host, d.Port)
		}
		switch d.Kind {
		case order.DeniedName, order.DeniedPort, order.DeniedAddress, order.DeniedServerName:
			parts = append(parts, host+" is none of your registries and was refused")
		case order.DeniedPrivate:
			parts = append(parts, host+" leads to an address that the registry of an install may not have")
		case order.DeniedUpstream:
			parts = append(parts, host+": "+d.Errno)
			if j.Settings.Proxy != "" && !c.hasProxy() {
				parts = append(parts, "the proxy of "+c.Row.Name+"'s configuration is not used here: set HTTPS_PROXY")
			}
		}
	}
	return parts
}
