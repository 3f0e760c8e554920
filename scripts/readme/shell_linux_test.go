package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// notRun are the lines that take what a test has not: how they begin, and what tries them instead.
var notRun = []struct{ begin, why string }{
	{"sudo install ", "root's folders; scripts/dist/machine.sh installs into a home"},
	{"sudo apparmor_parser ", "a kernel with AppArmor; scripts/dist/apparmor has the profile read"},
	{"sudo cp -r ", "root's folders; scripts/dist/machine.sh copies the same into a home"},
	{"CGO_ENABLED=0 go install ", "the published module; make test-dist builds both programs of the commit"},
}

// shows is what a line must print on standard output, found by the line's begin.
var shows = map[string]string{
	"sha256sum":                        "linux-",
	"mcp-sandbox doctor":               "Confinement reachable",
	"mcp-sandbox run sh -c":            "HOME=",
	"mcp-sandbox plan --allow-write":   "NOTION_TOKEN",
	"mcp-sandbox run -- npx":           "serverInfo",
	"mcp-sandbox run --report":         "serverInfo",
	"mcp-sandbox run --verbose":        "serverInfo",
	"mcp-sandbox report":               "the server ended by itself",
	"mcp-sandbox version":              "mcp-sandbox ",
	"mcp-sandbox policy show":          `"state": "notes"`,
	"mcp-sandbox policy schema":        "$schema",
	"mcp-sandbox-init --policy-fd":     "serverInfo",
	"mcp-sandbox plan --allow-read ~/": "servers",
}

// Every line is typed as it stands, one after the other in one shell, which is at first in the folder with the archive.
// It must end with 0, say what it is for, and have no line of ours on standard error but where --verbose asks for lines.
func TestShellLines(t *testing.T) {
	home := home(t)
	downloads := filepath.Join(home, "Downloads")
	download(t, downloads)
	policies := Blocks(text(t), "json")
	if err := os.WriteFile(filepath.Join(home, "policy.json"), []byte(policies[len(policies)-1]), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := typed(t)
	results := t.TempDir()
	var script strings.Builder
	for i, line := range lines {
		n := filepath.Join(results, strconv.Itoa(i))
		script.WriteString("{\n" + line + "\n} <" + home + "/hello >" + n + ".out 2>" + n + ".err || exit 9\n")
		if strings.HasPrefix(line, "mkdir ") { // root's server is another user
			script.WriteString("[ ! -d ~/project ] || chmod 777 ~/project\n")
		}
		script.WriteString("echo " + strconv.Itoa(i) + "\n")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script.String())
	cmd.Dir, cmd.Env = downloads, environment(home)
	done, err := cmd.Output()
	for i, line := range lines {
		out, noFile := os.ReadFile(filepath.Join(results, strconv.Itoa(i)+".out"))
		errs, _ := os.ReadFile(filepath.Join(results, strconv.Itoa(i)+".err"))
		if noFile != nil || !strings.Contains("\n"+string(done), "\n"+strconv.Itoa(i)+"\n") {
			t.Fatalf("%s: %v\n%s%s", line, err, out, errs)
		}
		for begin, want := range shows {
			if strings.HasPrefix(line, begin) && !strings.Contains(string(out), want) {
				t.Errorf("%s: %q is not in\n%s", line, want, out)
			}
		}
		if said := said(string(errs)); len(said) > 0 && !strings.Contains(line, "--verbose") {
			t.Errorf("%s: on standard error: %q", line, said)
		}
		if strings.Contains(line, "ls -A ~") && strings.Contains(string(out), "servers") {
			t.Errorf("%s: the home is not empty: %s", line, out)
		}
	}
	for _, file := range []string{"project/hello", "project/written", ".local/bin/mcp-sandbox-init", "report.jsonl"} {
		if _, err := os.Stat(filepath.Join(home, file)); err != nil {
			t.Error(err)
		}
	}
}

// said are the lines on standard error, but for an install, and for what the machine lacks, of which doctor knows more.
func said(stderr string) (lines []string) {
	for line := range strings.Lines(stderr) {
		if !strings.Contains(line, "mcp-sandbox doctor") && !strings.HasPrefix(line, "mcp-sandbox: installed ") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// typed are the lines that can run here. Each begin of notRun and of shows belongs to one.
func typed(t *testing.T) (lines []string) {
	t.Helper()
	all := strings.Join(append(Blocks(text(t), "sh"), Blocks(embedding(t), "sh")...), "")
	for _, n := range notRun {
		if !strings.Contains("\n"+all, "\n"+n.begin) {
			t.Errorf("no line begins with %q", n.begin)
		}
	}
	for begin := range shows {
		if !strings.Contains("\n"+all, "\n"+begin) {
			t.Errorf("no line begins with %q", begin)
		}
	}
next:
	for line := range strings.Lines(all) {
		for _, n := range notRun {
			if strings.HasPrefix(line, n.begin) {
				continue next
			}
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}
