package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// The report's policySHA256 is of the bytes that policy show prints for the same file and flags.
func TestShowIsWhatTheReportHashes(t *testing.T) {
	folder := t.TempDir()
	file, report := filepath.Join(folder, "p.json"), filepath.Join(folder, "r.jsonl")
	if err := os.WriteFile(file, []byte(`{"version":1,"filesystem":{"allowRead":["-data"]},"env":{"B":"2","A":"1"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--level=network"}, {"--memory=512M", "--allow-read=/usr", "--env=C=3", "--umask=027"}} {
		_, shown, _ := program(t, append(append([]string{"policy", "show"}, flags...), file)...)
		code, _, stderr := program(t, append(append([]string{"run", "--policy", file, "--report", report}, flags...), "--", "true")...)
		b, err := os.ReadFile(report)
		if err != nil || code != 0 {
			t.Fatal(code, err, stderr)
		}
		first, _, _ := strings.Cut(string(b), "\n")
		var e order.Enforced
		if err := json.Unmarshal([]byte(first), &e); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(shown))
		if want := hex.EncodeToString(sum[:]); e.PolicySHA256 != want || shown == "" {
			t.Errorf("%q: the report has %s, show's bytes have %s", flags, e.PolicySHA256, want)
		}
	}
}

// The same holds for mcp-sandbox-init, which makes its order from the same file with policy.Init.
func TestShowForInit(t *testing.T) {
	o, err := order.New(policy.Policy{Level: policy.LevelNetwork}, policy.Init, []string{"true"}, nil, "/")
	if err != nil {
		t.Fatal(err)
	}
	if _, shown, _ := program(t, "policy", "show", "--for=init", "--level=network"); shown != string(o.Policy) {
		t.Errorf("got %s, want %s", shown, o.Policy)
	}
}

// plan and run read a long policy as policy check does.
func TestLongPolicyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.json")
	doc := `{"version":1,"level":"network","envVars":["A"` + strings.Repeat(`,"A"`, 150_000) + "]}"
	if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"policy", "check", file}, {"plan", "--policy", file, "--", "echo", "ran"}, {"run", "--policy", file, "--", "echo", "ran"}} {
		if code, _, stderr := program(t, args...); code != 0 {
			t.Errorf("%s: %d, %.200q", args[0], code, stderr)
		}
	}
}
