package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

type completing struct{ line, want string }

// completions are command lines and what every shell makes of the last word of them.
var completions = []completing{
	{"mcp-sandbox policy s", "schema show"},
	{"mcp-sandbox run --level st", "standard strict"},
	{"mcp-sandbox run --level=st", "--level=standard --level=strict"},
	{"mcp-sandbox run --subprocess=", "--subprocess=false --subprocess=true"},
	{"mcp-sandbox run --policy fi", "file.json"},
	{"mcp-sandbox run --policy=fi", "--policy=file.json"},
	{"mcp-sandbox report f", "file.json folder"},
	{"mcp-sandbox plan --cwd f", "folder"},
	{"mcp-sandbox plan --cwd=f", "--cwd=folder"},
	{"mcp-sandbox store show ", "@acme/tool example.com/tool"},
	{"mcp-sandbox profile show npm:@modelcontextprotocol/server-gith", "npm:@modelcontextprotocol/server-github"},
	{"mcp-sandbox run --env DESK_", "DESK_A DESK_B"},
	{"mcp-sandbox run acme-t", "acme-tool"},
	{"mcp-sandbox run --level=strict --env A=b acme-tool --fl", "--flag-of-acme"},
	{"mcp-sandbox run --policy ':: x' -- acme-tool --fl", "--flag-of-acme"},
	{"mcp-sandbox run --policy '$(>trapped)' --le", "--level"},
	{"mcp-sandbox run '$(>trapped)' x\\;y fi", "file.json"},
	{"mcp-sandbox nothing ", ""},
	{"mcp-sandbox run --memory ", ""},
	{"./mcp-sandbox doctor --j", "--json"}, // only the one of PATH is asked
}

// alike are more of them, which a shell's script does not tell apart from those.
var alike = []completing{
	{"mcp-sandbox pol", "policy"},
	{"mcp-sandbox ver", "version"},
	{"mcp-sandbox help sto", "store"},
	{"mcp-sandbox completion ", "bash fish zsh"},
	{"mcp-sandbox run --min", "--min-age --min-confinement"},
	{"mcp-sandbox doctor --j", "--json"},
	{"mcp-sandbox policy show --fs-default ", "deny read"},
	{"mcp-sandbox state rm f", "f-2 first"},
	{"mcp-sandbox run --state f", "f-2 first"},
	{"mcp-sandbox store update @ac", "@acme/tool"},
	{"mcp-sandbox run --profile no", "none"},
	{"mcp-sandbox run --deny-syscall ptra", "ptrace"},
}

// scripted are the lines for a shell: without the long forms of the suite those that its script tells apart. bash gets
// all.
func scripted() []completing {
	if testing.Short() {
		return completions
	}
	return slices.Concat(completions, alike)
}

// expect compares what a shell made of each line.
func (d *desk) expect(t *testing.T, all []completing, complete func(line string) []string) {
	t.Helper()
	began := time.Now()
	for _, c := range all {
		got := complete(c.line)
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %s", c.line, got, c.want)
		}
		if os.Remove(d.trap) == nil {
			t.Errorf("%s: a word was evaluated, or the program in the working folder was started", c.line)
		}
	}
	t.Log(time.Since(began)/time.Duration(len(all)), "a line")
}

// shellOf is the path of a shell.
func shellOf(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		testbed.Missing(t, name, "no "+name+" on this machine: its completion is not tried")
	}
	return path
}

func TestCompletionInBash(t *testing.T) {
	const library = "/usr/share/bash-completion/bash_completion"
	if _, err := os.Stat(library); err != nil {
		testbed.Missing(t, "bash-completion", "no bash-completion on this machine: what completes the words of COMMAND is not tried")
	}
	bash := shellOf(t, "bash")
	d := newDesk(t)
	d.script(t, "bash", "data/bash-completion/completions/mcp-sandbox") // where bash-completion looks at the first use
	rc := filepath.Join(d.home, "rc")
	if err := os.WriteFile(rc, []byte("source "+library+"\nsource ~/bash\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.expect(t, slices.Concat(completions, alike), d.interactive(t, bash, "--noprofile", "--rcfile", rc, "-i"))
}

// Without bash-completion only the words of COMMAND are completed as files.
func TestCompletionInBareBash(t *testing.T) {
	bash := shellOf(t, "bash")
	d := newDesk(t)
	d.script(t, "bash", "script")
	rc := filepath.Join(d.home, "rc")
	if err := os.WriteFile(rc, []byte("source ~/bash\nsource ~/script\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	complete := d.interactive(t, bash, "--noprofile", "--rcfile", rc, "-i")
	all := scripted()
	if testing.Short() { // without bash-completion the script goes another way for the words of COMMAND alone
		all = slices.DeleteFunc(slices.Clone(all), func(c completing) bool {
			return !strings.Contains(c.line, "run acme-t") && !strings.HasSuffix(c.line, ` x\;y fi`)
		})
	}
	d.expect(t, all, func(line string) []string {
		if strings.HasSuffix(line, "--fl") {
			return []string{"--flag-of-acme"}
		}
		return complete(line)
	})
}

func TestCompletionInZsh(t *testing.T) {
	zsh := shellOf(t, "zsh")
	d := newDesk(t)
	d.script(t, "zsh", "functions/_mcp-sandbox")
	d.expect(t, scripted(), d.interactive(t, zsh, "-d", "-i"))
}

// The script of zsh read by source completes as the function in fpath does.
func TestCompletionInZshBySource(t *testing.T) {
	zsh := shellOf(t, "zsh")
	d := newDesk(t)
	rc, err := os.OpenFile(filepath.Join(d.home, ".zshrc"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	rc.WriteString("source <(mcp-sandbox completion zsh)\n")
	rc.Close()
	if got := d.interactive(t, zsh, "-d", "-i")("mcp-sandbox policy sc"); !slices.Equal(got, []string{"schema"}) {
		t.Errorf("%q", got)
	}
}

func TestCompletionInFish(t *testing.T) {
	fish := shellOf(t, "fish")
	d := newDesk(t)
	d.script(t, "fish", "config/fish/completions/mcp-sandbox.fish")
	d.expect(t, scripted(), func(line string) (words []string) {
		cmd := exec.Command(fish, "-c", "complete -c acme-tool -l flag-of-acme; complete -C $argv[1]", line)
		cmd.Dir = d.work
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for l := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
			words = append(words, strings.TrimSuffix(word, "/"))
		}
		return words
	})
}
