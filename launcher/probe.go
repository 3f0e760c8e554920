package launcher

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher/doctor"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// The types of [Probe]'s result.
type (
	// A Machine is the confinement that this machine gives.
	Machine = doctor.Machine
	// A Check is the result of one trial.
	Check = doctor.Check
	// CheckState says how far a thing works.
	CheckState = doctor.State
)

// The states of a Check.
const (
	Works   = doctor.Works
	Limited = doctor.Limited // less than there could be; servers run
	Missing = doctor.Missing
)

// Probe finds out what this machine can do. Instead of reading version numbers or files, Probe confines a process of
// its own in level standard, proves that confinement and ends the process, and runs one process with a daemon into a
// time limit. Refused steps are tried singly, in throwaway processes. Probe takes half a second or more. The error is
// one of the trials themselves, not of their findings.
func Probe(ctx context.Context) (*Machine, error) {
	if err := privileged(); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	server, remove, err := forAnybody(self)
	if err != nil {
		return nil, err
	}
	defer remove()
	return doctor.Examine(ctx, self, trialLauncher{server})
}

// A trialLauncher launches a file that every user may execute: a root launcher's servers are another user.
type trialLauncher struct{ server string }

// Prove builds and proves the confinement that a server of [Command] would have, and takes it down again: the command
// does not run. The report is that of such a launch, but for the process, which is gone. The error of a launch that
// would be refused is an *[Error].
func Prove(ctx context.Context, p policy.Policy, t Target) (*Report, error) {
	sb, err := prepare(ctx, p, t, true)
	if err != nil {
		return nil, err
	}
	return sb.prove(ctx)
}

// prove runs the shim of a probe to its end.
func (s *Sandbox) prove(ctx context.Context) (*Report, error) {
	defer s.Close()
	s.Cmd.Stderr = io.Discard
	if err := s.Cmd.Start(); err != nil {
		return nil, err
	}
	defer s.Cmd.Wait()
	return s.Report(ctx)
}

// Prove makes one trial launch.
func (t trialLauncher) Prove(ctx context.Context, p policy.Policy) (trial doctor.Trial, err error) {
	p.Filesystem.AllowRead = []string{t.server}
	sb, err := prepare(ctx, p, Target{Path: t.server, Dir: "/"}, true)
	if errors.As(err, &trial.Refused) && trial.Refused.Layer == order.Exec { // there are no sockets here
		return trial, nil
	}
	if err != nil {
		return trial, err
	}
	trial.Report, err = sb.prove(ctx)
	if tried := sb.shim.records.tried; tried != nil {
		trial.Calls = tried.Calls
	}
	if errors.As(err, &trial.Refused) {
		err = nil
	}
	return trial, err
}

// Daemon lets a server that has started a daemon run into a time limit. Both hold the pipe: its end is the end of both.
func (t trialLauncher) Daemon(ctx context.Context, least policy.Confinement, limit time.Duration) (
	tooShort bool, problem string,
) {
	ctx, cancel := context.WithTimeout(ctx, limit+10*time.Second)
	defer cancel()
	p := policy.Policy{MinConfinement: least, Limits: policy.Limits{Timeout: policy.Duration(limit)}}
	sb, err := prepare(ctx, p, Target{Path: t.server, Args: []string{reexec.DaemonServer}, Dir: "/"}, false)
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
	output := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(out, 4096))
		output <- string(b)
	}()
	result, err := sb.Wait(ctx)
	select {
	case text := <-output:
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
