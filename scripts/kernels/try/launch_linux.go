package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/place"
)

// launch starts a launcher in a place of its own, looks at the server that it reports, lets that do its act, and waits.
// Nothing may be left in the control groups.
func (s *scene) launch(argv []string) (*matrix.Observed, error) {
	before, err := groups()
	if err != nil {
		return nil, err
	}
	p, err := place.Make(s.Place, s.UID)
	if err != nil {
		return nil, err
	}
	o, err := s.launchIn(p, argv)
	if err := errors.Join(err, p.Remove()); err != nil {
		return nil, err
	}
	o.LeftBehind, err = remaining(before)
	return o, err
}

func (s *scene) launchIn(p *place.Place, argv []string) (*matrix.Observed, error) {
	o, err := here()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out bytes.Buffer
	cmd := s.command(ctx, p, argv)
	cmd.ExtraFiles, cmd.Stdout = []*os.File{w}, &out
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	w.Close()
	if err != nil {
		return nil, err
	}
	if o.UID, err = uidOf(cmd.Process.Pid); err == nil {
		err = s.follow(o, p, r, in)
	}
	var exit *exec.ExitError
	if e := cmd.Wait(); e != nil && !errors.As(e, &exit) {
		err = errors.Join(err, e)
	}
	if err != nil {
		return nil, err
	}
	o.Code, o.Ran = cmd.ProcessState.ExitCode(), out.Len() > 0
	if o.Ran {
		answer, err := result(out.Bytes())
		if err != nil {
			return nil, fmt.Errorf("the server's answer: %q: %w", out.Bytes(), err)
		}
		o.Secret = answer.Errno
	}
	return o, nil
}

// command is a program of the row's user in a place.
func (s *scene) command(ctx context.Context, p *place.Place, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = "/", os.Environ(), os.Stderr
	p.Enter(cmd)
	return cmd
}

// doctor asks the program what this machine gives.
func (s *scene) doctor() (*matrix.Diagnosis, error) {
	p, err := place.Make(s.Place, s.UID)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := s.command(ctx, p, []string{filepath.Join(s.programs, "mcp-sandbox"), "doctor", "--json"})
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	d := &matrix.Diagnosis{}
	if err == nil {
		err = json.Unmarshal(text, d)
	}
	if err := errors.Join(err, p.Remove()); err != nil {
		return nil, fmt.Errorf("doctor: %q: %w", text, err)
	}
	d.Code = cmd.ProcessState.ExitCode()
	return d, nil
}

// follow reads a launcher's report, and between its first line and the others looks at the server and lets it go on.
func (s *scene) follow(o *matrix.Observed, p *place.Place, report io.Reader, in io.Writer) error {
	for records := json.NewDecoder(report); ; {
		var line json.RawMessage
		err := records.Decode(&line)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		first := o.Enforced == nil
		if err := read(o, line); err != nil {
			return err
		}
		if first && o.Enforced != nil {
			if err := s.look(o, p, o.Enforced.PID); err != nil {
				return err
			}
			if _, err := io.WriteString(in, "go on\n"); err != nil {
				return err
			}
		}
	}
}

// patience bounds one launch on a machine that is emulated, on one that is busy.
const patience = 3 * time.Minute
