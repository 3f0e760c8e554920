package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Every package that is linked is paid for in every start. reflect is there by encoding/binary, which x/sys/unix uses.
func TestLinksLittle(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skip("no go command on this machine")
	}
	if _, err := os.ReadDir(strings.TrimSpace(string(cache))); err != nil {
		t.Skip("the module cache belongs to another user: ", err)
	}
	cmd := exec.Command("go", "list", "-deps", ".")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOOS=linux")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	check(t, err)
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/security-mcp/mcp-sandbox/init/reexec") {
		t.Fatalf("these are not the program's packages: %v", deps)
	}
	for _, p := range []string{"fmt", "encoding/json", "encoding/hex", "net", "regexp", "os/exec", "flag", "log", "testing", "text/template",
		"crypto/tls", "crypto/rand", "math/big", "github.com/spf13/pflag", "github.com/elastic/go-seccomp-bpf",
		"github.com/security-mcp/mcp-sandbox/launcher", "github.com/security-mcp/mcp-sandbox/policy/schema"} {
		if slices.Contains(deps, p) {
			t.Errorf("links %s", p)
		}
	}
	if !slices.Contains(deps, "encoding/binary") && slices.Contains(deps, "reflect") {
		t.Error("links reflect for a reason that is not known here")
	}
}
