package launcher

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// try makes one trial launch: everything is built and proved, and no server is released.
func (f *findings) try(ctx context.Context, o *outcome, p policy.Policy, self string) error {
	p.Filesystem.AllowRead = []string{self}
	sb, err := prepare(ctx, p, Target{Path: self, Dir: "/"}, func(o *order.Order) { o.Probe = true })
	if errors.As(err, &o.refused) && o.refused.Layer == order.Exec { // there are no sockets here
		return nil
	}
	if err != nil {
		return err
	}
	defer sb.Close()
	sb.Cmd.Stderr = io.Discard
	if err := sb.Cmd.Start(); err != nil {
		return err
	}
	defer sb.Cmd.Wait()
	o.report, err = sb.Report(ctx)
	if sb.inbox.tried != nil {
		f.calls = sb.inbox.tried.Calls
	}
	if err == nil || errors.As(err, &o.refused) {
		return nil
	}
	return err
}

// tree lets a server that has started a daemon run into its time limit. Both hold the pipe: its end is the end of both.
func tree(ctx context.Context, self string, least policy.Confinement) treeOutcome {
	problem := ""
	// The short one is for people, the long one for machines that are slow.
	for _, limit := range []time.Duration{300 * time.Millisecond, 5 * time.Second} {
		var again bool
		if again, problem = daemonised(ctx, self, least, limit); !again {
			break
		}
	}
	return treeOutcome{true, problem}
}

func daemonised(ctx context.Context, self string, least policy.Confinement, limit time.Duration) (again bool, problem string) {
	ctx, cancel := context.WithTimeout(ctx, limit+10*time.Second)
	defer cancel()
	p := policy.Policy{MinConfinement: least, Limits: policy.Limits{Timeout: policy.Duration(limit)}}
	sb, err := prepare(ctx, p, Target{Path: self, Args: []string{reexec.DaemonServer}, Dir: "/"}, func(*order.Order) {})
	if err != nil {
		return false, err.Error()
	}
	defer sb.Close()
	out, err := sb.Cmd.StdoutPipe()
	if err == nil {
		sb.Cmd.Stderr = io.Discard
		err = sb.Cmd.Start()
	}
	if err != nil {
		return false, err.Error()
	}
	said := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(out, 4096))
		said <- string(b)
	}()
	result, err := sb.Wait(ctx)
	select {
	case text := <-said:
		sb.Cmd.Wait()
		switch {
		case err != nil:
			return false, err.Error()
		case text == "" && result.Cause == order.CauseTimeout:
			return true, "the server had no time to start a daemon"
		case text != reexec.Daemonised:
			return false, "the server could not start a daemon: " + strings.TrimSpace(text)
		case result.Cause != order.CauseTimeout:
			return false, "the server ended by " + string(result.Cause) + " and not by the time limit"
		}
		return false, ""
	case <-ctx.Done():
		sb.Cmd.Process.Kill()
		return false, "a daemon of the server outlived the time limit"
	}
}
