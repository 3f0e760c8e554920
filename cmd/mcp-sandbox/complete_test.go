package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
)

// kindOf is the first word of an answer.
func kindOf(words ...string) string {
	kind, _, _ := strings.Cut(complete(words), "\t")
	return kind
}

// Of every value of a flag, and every operand of a command, a completion is known, or it is one of those that nobody
// can know.
func TestEveryValueCompletes(t *testing.T) {
	unknown := strings.Fields("SIZE N TIME CORES OCTAL HOST HOST[:PORT] [ADDRESS:]HOSTPORT:PORT UID:GID IMAGE")
	values := 0
	for _, c := range commands() {
		words := strings.Fields(c.Name)
		for _, l := range c.Flags().Lines {
			if l.Name == "" || l.Value == "" || !l.Here() {
				continue
			}
			values++
			apart := kindOf(append(slices.Clone(words), "--"+l.Name, "")...)
			joined := kindOf(append(slices.Clone(words), "--"+l.Name+"=")...)
			if known := apart != ""; apart != joined || known == slices.Contains(unknown, l.Value) {
				t.Errorf("%s --%s %s: %q, behind = %q", c.Name, l.Name, l.Value, apart, joined)
			}
		}
		if kind := kindOf(append(slices.Clone(words), "")...); kind == "" && operand(&c) != "" {
			t.Errorf("%s: nothing for %s", c.Name, operand(&c))
		}
	}
	if values < 100 {
		t.Errorf("only %d values", values)
	}
}

// An operand is found in a usage wherever its flags stand.
func TestOperand(t *testing.T) {
	for usage, want := range map[string]string{"": "", "[--json]": "", "[--keep SIZE]": "", "[--json] FILE": "FILE", "NAME...": "NAME",
		"[HOST...] [--server N]... [--project DIR] [--yes]": "HOST", "[flags] [FILE] [-- COMMAND [ARG...]]": "FILE",
		"[flags] [--] COMMAND [ARG...]": "ARG", "bash|zsh": "bash|zsh", "[--x": "--x"} {
		if got := operand(&cli.Command{Args: usage}); got != want {
			t.Errorf("%q: %q, want %q", usage, got, want)
		}
	}
}

// An answer is whole lines, and each word of it one that no shell has to quote.
func TestAnswersArePlain(t *testing.T) {
	t.Setenv("STRANGE$(id)", "s3cret")
	t.Setenv("PLAIN", "s3cret")
	for _, line := range []string{"", "-", "run|--", "run|--env|", "run|--deny-syscall|", "profile|show|", "help|", "policy|"} {
		answer := complete(strings.Split(line, "|"))
		first, rest, _ := strings.Cut(answer, "\n")
		if !strings.HasPrefix(first, "words\t") || !strings.HasSuffix(rest, "\n") {
			t.Errorf("%s: %q", line, answer)
		}
		for l := range strings.Lines(rest) {
			if word, _, ok := strings.Cut(l, "\t"); !ok || strings.ContainsAny(word, " $'\"\\`()") {
				t.Errorf("%s: %q", line, l)
			}
		}
	}
	if answer := complete([]string{"run", "--env", ""}); !strings.Contains(answer, "\nPLAIN\t\n") || strings.Contains(answer, "s3cret") {
		t.Errorf("%q", answer)
	}
}

// Where COMMAND begins the words are another program's, whatever they look like.
func TestCompletionOfCommand(t *testing.T) {
	for line, want := range map[string]string{
		"run|": "command\t1", "run|nod": "command\t1", "run|--": "words\t", "run|--|": "command\t2", "run|node|--lev": "command\t1",
		"run|--level|strict|node|--": "command\t3", "run|--level=strict|--|node|": "command\t3", "profile|for|": "command\t2",
		"policy|show|": "files\t", "policy|show|p.json|--|": "command\t4", "why|": "files\t", "why|--path|x|--|n": "command\t4",
		"run|--policy|--level|": "\t", "run|--subprocess|tr": "command\t2", "nothing|": "words\t", "doctor|": "\t",
		"run|--allow-read|-~/": "files\t-", "run|--allow-read=-~/": "files\t--allow-read=-", "run|--no-subprocess=": "\t",
	} {
		if got, _, _ := strings.Cut(complete(strings.Split(line, "|")), "\n"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if complete(nil) != "" {
		t.Error("an answer without a word")
	}
}

// Who asks for names where nothing was kept yet leaves nothing behind.
func TestCompletionLeavesNothing(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "LOCALAPPDATA"} {
		t.Setenv(name, home)
	}
	for _, words := range [][]string{{"store", "show", ""}, {"state", "rm", ""}, {"run", "--state", ""}, {"store", "update", ""}} {
		if got := complete(words); got != "words\t\n" {
			t.Errorf("%q: %q", words, got)
		}
	}
	if left, err := os.ReadDir(home); len(left) > 0 || err != nil {
		t.Error(left, err)
	}
}
