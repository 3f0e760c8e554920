package readme

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// reader is the home in README's examples.
const reader = "/home/ann"

// An entry is a server of an mcp.json.
type entry struct {
	Command string
	Args    []string
	Env     map[string]string
}

// entries are the servers of README's examples, as read for a home, and how many blocks have some.
func entries(t *testing.T, home string) (all []entry, blocks int) {
	t.Helper()
	for _, block := range Blocks(text(t), "json") {
		var file struct{ McpServers map[string]entry }
		d := json.NewDecoder(strings.NewReader(strings.ReplaceAll(block, reader, home)))
		if strings.Contains(block, "mcpServers") {
			d.DisallowUnknownFields()
			blocks++
		}
		if err := d.Decode(&file); err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
		for _, e := range file.McpServers {
			all = append(all, e)
		}
	}
	return all, blocks
}

// start starts an entry as a client does that is no shell: with a few variables of its own and those of the entry.
func (e entry) start(t *testing.T, home string) (stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Command, e.Args...)
	cmd.Env = environment(home)
	for name, value := range e.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = strings.NewReader(hello), &out, &errs, home
	cmd.Run() // the answer says whether the server came up
	return out.String(), errs.String()
}

// without is the entry without some words that follow each other.
func (e entry) without(words ...string) entry {
	for i := range e.Args {
		if rest := e.Args[i:]; len(rest) >= len(words) && slices.Equal(rest[:len(words)], words) {
			e.Args = slices.Concat(e.Args[:i], rest[len(words):])
			return e
		}
	}
	return e
}

// installed is a home with mcp-sandbox where the examples have it.
func installed(t *testing.T) (dir string) {
	t.Helper()
	dir = home(t)
	program, err := os.ReadFile(testbed.Command(t, "mcp-sandbox"))
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, ".local", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "mcp-sandbox"), program, 0o755); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(project, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Each entry answers, and says nothing on standard error.
func TestClientEntries(t *testing.T) {
	home := installed(t)
	all, blocks := entries(t, home)
	if len(all) != 3 || blocks != 3 {
		t.Errorf("%d servers in %d blocks", len(all), blocks)
	}
	for _, e := range all {
		stdout, stderr := e.start(t, home)
		if stdout != answer+"\n" || len(said(stderr)) > 0 {
			t.Errorf("%+v: %q, %q", e, stdout, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "project", "of-acme")); err != nil {
		t.Error(err)
	}
}

// first is the first line of ours that is not about the machine; the server runs already, and its own may come before.
func first(stderr string) string {
	for _, line := range said(stderr) {
		if strings.HasPrefix(line, "mcp-sandbox: ") {
			return line
		}
	}
	return ""
}

// The lines that README quotes come when something is left out of its entries, and no other line of ours before them.
func TestMessages(t *testing.T) {
	home := installed(t)
	all, _ := entries(t, home)
	project := filepath.Join(home, "project")
	var got []string
	for _, words := range [][]string{{"--env", "ACME_TOKEN"}, {"--allow-write", project},
		{"--allow-domain", "api.acme.example"}} {
		for _, e := range all {
			less := e.without(words...)
			if len(less.Args) == len(e.Args) {
				continue
			}
			_, stderr := less.start(t, home)
			got = append(got, strings.ReplaceAll(first(stderr), home, reader))
		}
	}
	want := strings.Split(strings.TrimSpace(Blocks(text(t), "text")[0]), "\n")
	if !slices.Equal(got, want) {
		t.Errorf("\n%s\nREADME has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The policy of the examples is one, and this version enforces it.
func TestPolicy(t *testing.T) {
	policies := 0
	for _, block := range Blocks(text(t), "json") {
		if strings.Contains(block, "mcpServers") {
			continue
		}
		policies++
		if _, err := policy.Parse([]byte(block)); err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
	}
	if policies == 0 {
		t.Error("no policy")
	}
}
