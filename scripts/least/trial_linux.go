package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// An outcome is how a launch went.
type outcome string

const (
	answers outcome = "answers"
	ends    outcome = "ends"
	hangs   outcome = "hangs"
	refused outcome = "refused" // by the sandbox: the server never ran
)

// A trial is one launch.
type trial struct {
	outcome outcome
	heldBy  string // the fact of the report that proves the limit
	said    string // on standard error
	took    time.Duration
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
	`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"least","version":"1"}}}` + "\n"

// repeat starts the server several times with a limit and returns the first trial without an answer, or the last.
func (r *runtime) repeat(l limit, n int64, times int) (t trial) {
	for range times {
		if t = r.start(l, n); t.outcome != answers {
			break
		}
	}
	return t
}

// start starts the server with a limit, of which 0 is none, and asks for its answer.
func (r *runtime) start(l limit, n int64) trial {
	cmd := r.launch(l, n)
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return trial{outcome: refused, said: err.Error()}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return trial{outcome: refused, said: err.Error()}
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return trial{outcome: refused, said: err.Error()}
	}
	// The launcher ends the server, and removes what it made. A launcher that does not end would be an error of ours.
	end := func() { _ = cmd.Process.Signal(syscall.SIGTERM) }
	late := time.AfterFunc(r.patience, end)
	_, _ = io.WriteString(in, initialize) // a server that has ended leaves a broken pipe
	t := trial{outcome: ends, heldBy: "tmpfs"}
	if answered(out) {
		t.outcome = answers
	}
	t.took = time.Since(begun)
	if !late.Stop() {
		t.outcome = hangs
	}
	end()
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // how the launcher ended is in cmd.ProcessState
	if t.said = said.String(); cmd.ProcessState.ExitCode() == 125 {
		t.outcome = refused
	}
	if l.fact != "" {
		t.heldBy = l.heldBy(r.report)
	}
	return t
}

func (r *runtime) launch(l limit, n int64) *exec.Cmd {
	args := []string{"run", "--report", r.report, "--min-confinement", "full", "--grace", "100ms"}
	for _, path := range r.grants {
		args = append(args, "--allow-read", path)
	}
	if n > 0 {
		args = append(args, "--"+l.flag, l.value(n))
	}
	cmd := exec.Command(r.launcher, append(append(args, "--"), r.command...)...)
	cmd.Dir = r.grants[0]
	return cmd
}

func answered(out io.Reader) bool {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"serverInfo"`) {
			return true
		}
	}
	return false
}

// heldBy is the fact by which a launch's report proves the limit, that of the control group before that of a resource,
// or "nothing".
func (l limit) heldBy(report string) string {
	text, err := os.ReadFile(report)
	if err != nil {
		return "nothing"
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	var record struct {
		Layers []struct {
			Facts []struct{ Name, Got string }
		}
	}
	if json.Unmarshal(first, &record) != nil {
		return "nothing"
	}
	held := "nothing"
	for _, layer := range record.Layers {
		for _, fact := range layer.Facts {
			switch {
			case fact.Got == "":
			case l.group != "" && strings.Contains(fact.Name, l.group):
				return fact.Name
			case strings.HasPrefix(fact.Name, l.fact):
				held = fact.Name
			}
		}
	}
	return held
}
