package resources_test

import (
	"io"
	"os"
	"strings"
	"testing"
)

// Two sandboxes of one user have their processes each: what one has, the other does not lack.
func TestNeighboursDoNotStarve(t *testing.T) {
	const each = `"limits":{"pids":20,"grace":"100ms"}`
	fill := []string{"/bin/sh", "-c", "i=0; while [ $i -lt 15 ]; do sleep 60 & i=$((i+1)); done; echo full; cat"}
	everywhere(t, func(t *testing.T, at place) {
		var all []*trial
		for range 3 {
			to := at
			if at.dir == at.top && at.dir != "" {
				to = delegated(t)[0] // a delegated group itself is for one launcher
			}
			all = append(all, startOn(t, to, each, fill...))
		}
		for _, run := range all {
			run.Stdin.Close()
			run.Ran()
			if !run.counted(at) || !strings.HasPrefix(run.Stdout.String(), "full\n") || strings.Contains(run.Stderr.String(), "fork") {
				t.Errorf("code %d, %q, %+v\n%s", run.Code, &run.Stdout, run.Exited, &run.Stderr)
			}
		}
	})
}

// startOn starts a launch and waits for its server's first line.
func startOn(t *testing.T, at place, keys string, command ...string) *trial {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	tr := startTo(t, at, w, keys, command...)
	w.Close()
	b := make([]byte, 64)
	n, err := r.Read(b)
	if err != nil {
		t.Fatalf("nothing said: %v\n%s", err, &tr.Stderr)
	}
	tr.Stdout.Write(b[:n])
	go io.Copy(io.Discard, r)
	return tr
}
