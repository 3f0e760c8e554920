package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The flags of serve are those of the program beside this one, and without it there are none.
func TestServeCompletes(t *testing.T) {
	alone, beside := t.TempDir(), t.TempDir()
	for _, dir := range []string{alone, beside} {
		install(t, testbed.Command(t, "mcp-sandbox"), dir)
	}
	install(t, testbed.Command(t, "mcp-sandbox-serve"), beside)
	for line, want := range map[string]string{
		"serve|--": "\n--listen\tHOST:PORT", "serve|--verbose|-": "\n--max-per-principal\t", "serve|--log|": "words\t\ntext\t\njson",
		"serve|--tls-cert|": "files\t", "serve|--secrets=": "folders\t--secrets=", "serve|--verbose|--|nod": "command\t3",
		"serve|--allow-read|": "files\t",
	} {
		words := append([]string{"__complete"}, strings.Split(line, "|")...)
		out, err := exec.Command(filepath.Join(beside, "mcp-sandbox"), words...).Output()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %q, %v", line, out, err)
		}
	}
	out, err := exec.Command(filepath.Join(alone, "mcp-sandbox"), "__complete", "serve", "--").Output()
	if err != nil || strings.Contains(string(out), "listen") || !strings.Contains(string(out), "\n--help\t") {
		t.Errorf("alone: %q, %v", out, err)
	}
}

// install puts a program into a folder, so that its name there is that of the process too.
func install(t *testing.T, program, dir string) {
	t.Helper()
	text, err := os.ReadFile(program)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, filepath.Base(program)), text, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}
