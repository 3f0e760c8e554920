package launcher_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The main job from a host in another language: the TypeScript SDK starts the program with a policy file, over socketpairs.
func TestTypeScriptHost(t *testing.T) {
	for _, s := range shortly(t) {
		t.Run(s.Name, func(t *testing.T) {
			s.find(t)
			program := testbed.Command(t, "mcp-sandbox-init")
			s.typeScript(t, program, "--policy", s.file(t), "--report-fd", "3", "--")
		})
	}
}

// The same with flags instead of a file, as people write it into a client's configuration.
func TestTypeScriptHostOfRun(t *testing.T) {
	if testing.Short() {
		t.Skip("TestLanguages has run under this host, TestReportOfRun its flags of folders, TestTypeScriptHost the servers")
	}
	for _, s := range sessions(t) {
		t.Run(s.Name, func(t *testing.T) {
			s.find(t)
			s.typeScript(t, append(s.run(t), "--report-fd", "3", "--")...)
		})
	}
}

// The issue's own words: mcp-sandbox run --report FILE answers a client.
func TestReportOfRun(t *testing.T) {
	for _, s := range shortly(t) {
		t.Run(s.Name, func(t *testing.T) {
			s.find(t)
			ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
			defer cancel()
			file := filepath.Join(t.TempDir(), "r.jsonl")
			words := append(append(s.run(t), "--report", file, "--"), s.words...)
			cmd := exec.CommandContext(ctx, words[0], words[1:]...)
			cmd.Stderr = os.Stderr
			s.Go(ctx, t, cmd)
			s.checkFile(t, file, false)
		})
	}
}

// run is mcp-sandbox run with the session's grants as flags.
func (s *session) run(t *testing.T) []string {
	t.Helper()
	words := []string{testbed.Command(t, "mcp-sandbox"), "run"}
	for _, path := range s.read {
		words = append(words, "--allow-read", path)
	}
	for _, path := range s.write {
		words = append(words, "--allow-write", path)
	}
	return words
}

// typeScript drives the server that launch starts. An SDK cannot hand over a third descriptor, so a shell does.
func (s *session) typeScript(t *testing.T, launch ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	file := filepath.Join(t.TempDir(), "r.jsonl")
	words := append([]string{"/bin/sh", "-c", `exec "$@" 3>"$0"`, file}, launch...)
	times := s.TypeScript(ctx, t, append(words, s.words...))
	s.checkFile(t, file, times.Close >= 1900*time.Millisecond) // the SDK sends SIGTERM after two seconds
	t.Logf("initialize %.1f ms, close %.1f ms", times.Initialize.Seconds()*1000, times.Close.Seconds()*1000)
}

// checkFile reads a report from a file: what was proved first, how it ended last, which an SDK may have asked for, and
// nothing else.
func (s *session) checkFile(t *testing.T, file string, asked bool) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines [][]byte
	for sc := bufio.NewScanner(f); sc.Scan(); {
		lines = append(lines, append([]byte(nil), sc.Bytes()...))
	}
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2: %s", len(lines), lines)
	}
	var first order.Enforced
	var last order.Exited
	for i, to := range []any{&first, &last} {
		if err := json.Unmarshal(lines[i], to); err != nil {
			t.Fatalf("%v: %s", err, lines[i])
		}
	}
	if first.Event != "enforced" || last.Event != "exited" {
		t.Fatalf("events %q and %q", first.Event, last.Event)
	}
	s.checkReport(t, &first)
	if !asked {
		checkEnd(t, &last)
	}
}
