package try

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/place"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// launchTimeout bounds one launch on a machine that is emulated, on one that is busy.
const launchTimeout = 3 * time.Minute

// launch starts a launcher in a place of its own, looks at the server that it reports, lets that do its act, and waits.
// Nothing may be left in the control groups.
func (s *scene) launch(t *testing.T, argv []string) *observed {
	before := groups(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	cmd, p := s.command(t, argv...)
	cmd.ExtraFiles, cmd.Stdout = []*os.File{w}, &out
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	o := here(t)
	o.UID = uidOf(t, cmd.Process.Pid)
	s.follow(t, o, p, r, in)
	o.Code = wait(t, cmd, p)
	o.LeftBehind = remaining(t, before)
	if o.Ran = out.Len() > 0; o.Ran {
		answers, err := attempt.Read(&out)
		if err != nil || len(answers) != 1 {
			t.Fatalf("the server's answer: %+v, %v", answers, err)
		}
		o.Secret = answers[0].Errno
	}
	return o
}

// here is what this machine says of itself.
func here(t *testing.T) *observed {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		t.Fatal(err)
	}
	abi, err := platform.LandlockABI()
	if err != nil {
		t.Fatal(err)
	}
	return &observed{Kernel: unix.ByteSliceToString(u.Release[:]), LandlockABI: abi}
}

// command is a program of the row's user in a place of its own.
func (s *scene) command(t *testing.T, argv ...string) (*exec.Cmd, *place.Place) {
	p, err := place.Make(s.Place, s.UID)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), launchTimeout)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = "/", os.Environ(), os.Stderr
	p.Enter(cmd)
	return cmd, p
}

// wait returns a command's exit status, and removes its place.
func wait(t *testing.T, cmd *exec.Cmd, p *place.Place) int {
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil
	}
	if err := errors.Join(err, p.Remove()); err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// doctor asks the program what this machine gives.
func (s *scene) doctor(t *testing.T) (d diagnosis) {
	var out bytes.Buffer
	cmd, p := s.command(t, s.program, "doctor", "--json")
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	code := wait(t, cmd, p)
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("doctor: %q: %v", out.Bytes(), err)
	}
	d.Code = code
	return d
}

// follow reads a launcher's report, and between its first line and the others looks at the server and lets it go on.
func (s *scene) follow(t *testing.T, o *observed, p *place.Place, report io.Reader, in io.Writer) {
	for records := json.NewDecoder(report); ; {
		var line json.RawMessage
		err := records.Decode(&line)
		if errors.Is(err, io.EOF) {
			return
		}
		first := o.Enforced == nil
		if err == nil {
			err = o.record(line)
		}
		if err == nil && first && o.Enforced != nil {
			s.look(t, o, p)
			_, err = io.WriteString(in, "go on\n")
		}
		if err != nil {
			t.Fatalf("report: %q: %v", line, err)
		}
	}
}

// record takes in one line of a report.
func (o *observed) record(line []byte) error {
	var head struct{ Event string }
	err := json.Unmarshal(line, &head)
	if err != nil {
		return err
	}
	switch head.Event {
	case "enforced":
		return json.Unmarshal(line, &o.Enforced)
	case "refused":
		return json.Unmarshal(line, &o.Refused)
	}
	return nil
}

func TestRecord(t *testing.T) {
	var o observed
	for _, line := range []string{`{"event":"enforced","confinement":"full"}`, `{"event":"denied"}`, `{"event":"exited","cause":"exit"}`} {
		if err := o.record([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if o.Enforced == nil || o.Enforced.Confinement != "full" || o.Refused != nil {
		t.Errorf("%+v", o)
	}
	o = observed{}
	if err := o.record([]byte(`{"event":"refused","layer":"root","errno":13}`)); err != nil || o.Refused == nil || o.Refused.Errno != 13 {
		t.Errorf("%+v, %v", o, err)
	}
	if o.record([]byte("VM: panic\n")) == nil {
		t.Error("a line that is no JSON was read")
	}
}
