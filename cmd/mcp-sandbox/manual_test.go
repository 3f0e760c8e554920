package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/manual"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Each command has a page with all its flags, and every page that is named is there.
func TestManuals(t *testing.T) {
	all, err := manuals()
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, p := range all {
		pages[p.Reference()] = p.Roff(manual.Build{Version: "v1", Date: "2026-11-24"})
	}
	for _, p := range all {
		for _, name := range p.Also {
			if pages[name] == "" {
				t.Errorf("%s names %s, which is not there", p.Reference(), name)
			}
		}
	}
	for _, c := range commands() {
		page := pages["mcp-sandbox-"+strings.ReplaceAll(c.name, " ", "-")+"(1)"]
		if page == "" {
			t.Errorf("%s has no page", c.name)
		}
		for _, l := range c.flags().lines {
			if l.name != "" && !strings.Contains(page, "\n\\fB\\-\\-"+strings.ReplaceAll(l.name, "-", `\-`)+`\fR`) {
				t.Errorf("%s: no --%s", c.name, l.name)
			}
		}
	}
	for _, text := range []string{`\fB\-\-tty\fR`, `\fB\-\-backend\fR`, "(on Linux alone)", "(on macOS alone)"} {
		if !strings.Contains(pages["mcp-sandbox-run(1)"], text) {
			t.Errorf("the page of run has no %s on %s", text, runtime.GOOS)
		}
	}
}

// mandoc has nothing to say against any page.
func TestManualsAreClean(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		testbed.Missing(t, "mandoc", "no mandoc on this machine: the manual pages are not looked at")
	}
	all, err := manuals()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"-T", "lint", "-W", "warning"}
	for _, p := range all {
		file := filepath.Join(dir, p.File())
		if err := os.WriteFile(file, []byte(p.Roff(manual.Build{Version: "v1", Date: "2026-11-24"})), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.Command(mandoc, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	bad := filepath.Join(dir, "bad.1")
	if err := os.WriteFile(bad, []byte(".SH NAME\n.PP\n.nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(mandoc, append(slices.Clone(args[:4]), bad)...).CombinedOutput(); err == nil || len(out) == 0 {
		t.Errorf("a page with mistakes passes: %s", out)
	}
}
