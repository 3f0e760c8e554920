package resources_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A trial is one launch as its host sees it.
type trial struct {
	*testing.T
	cmd            *exec.Cmd
	stdin          io.Closer
	stdout, stderr bytes.Buffer
	report         chan []byte

	enforced order.Enforced
	exited   order.Exited
	code     int
}

// start starts a launch in a place, as the user that the place is delegated to.
func start(t *testing.T, at place, keys string, command ...string) *trial {
	t.Helper()
	return startTo(t, at, nil, keys, command...)
}

// startTo is start with a standard output of the test's, if it is not nil.
func startTo(t *testing.T, at place, stdout *os.File, keys string, command ...string) *trial {
	t.Helper()
	request, err := json.Marshal(launch{keys, command, at.begin})
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{T: t, cmd: exec.Command("/proc/self/exe"), report: make(chan []byte, 1)}
	tr.cmd.Args = []string{programName, string(request)}
	tr.cmd.Stdout, tr.cmd.Stderr = &tr.stdout, &tr.stderr
	if stdout != nil {
		tr.cmd.Stdout = stdout
	}
	if tr.stdin, err = tr.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	tr.cmd.ExtraFiles = []*os.File{w}
	tr.cmd.SysProcAttr = &syscall.SysProcAttr{}
	if at.uid != 0 {
		tr.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(at.uid), Gid: uint32(at.uid)}
	}
	if at.tmp != "" {
		tr.cmd.Env = append(os.Environ(), "TMPDIR="+at.tmp)
	}
	if at.dir != "" {
		group, err := os.Open(at.dir)
		if err != nil {
			t.Fatal(err)
		}
		defer group.Close()
		tr.cmd.SysProcAttr.UseCgroupFD, tr.cmd.SysProcAttr.CgroupFD = true, int(group.Fd())
	}
	tr.cmd.WaitDelay = time.Minute
	if err := tr.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	go func() {
		b, _ := io.ReadAll(r)
		r.Close()
		tr.report <- b
	}()
	t.Cleanup(func() { tr.cmd.Process.Kill() })
	return tr
}

// end waits for the launcher and reads its report.
func (t *trial) end() {
	t.Helper()
	watchdog := time.AfterFunc(testbed.Patience(), func() { t.cmd.Process.Kill() })
	defer watchdog.Stop()
	err := t.cmd.Wait()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	t.code = t.cmd.ProcessState.ExitCode()
	lines := strings.Split(strings.TrimSpace(string(<-t.report)), "\n")
	if len(lines) != 2 || json.Unmarshal([]byte(lines[0]), &t.enforced) != nil || json.Unmarshal([]byte(lines[1]), &t.exited) != nil {
		t.Fatalf("code %d, the report is %q\n%s", t.code, lines, &t.stderr)
	}
}

// layer is what the report says of a layer.
func (t *trial) layer(name order.Layer) (l order.LayerReport) {
	for _, l := range t.enforced.Layers {
		if l.Layer == name {
			return l
		}
	}
	return l
}

// fact is what the report says of one fact, or an empty one.
func (t *trial) fact(name order.Layer, fact string) order.Fact {
	for _, f := range t.layer(name).Facts {
		if f.Name == fact || strings.HasPrefix(f.Name, fact+" (") {
			return f
		}
	}
	return order.Fact{}
}
