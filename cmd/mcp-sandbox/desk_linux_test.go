package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A desk is a home in which shells are used: with a state, two packages, files, and a command acme that has a completion
// of its own.
type desk struct{ home, work, trap string }

func newDesk(t *testing.T) *desk {
	t.Helper()
	home := t.TempDir()
	d := &desk{home: home, work: filepath.Join(home, "work"), trap: filepath.Join(home, "work", "trapped")}
	for _, name := range []string{"work/folder", "bin", "state/mcp-sandbox/state/first", "state/mcp-sandbox/state/f-2",
		"data/mcp-sandbox/store/npm/@acme/tool/1.0.0-0123456789ab", "data/mcp-sandbox/store/go/example.com,tool/v1-0123456789ab"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"work/file.json": "{}", "bin/acme-tool": "#!/bin/sh\n", "work/mcp-sandbox": "#!/bin/sh\n>" + d.trap + "\n",
		"bash": "acme_words() { COMPREPLY=(--flag-of-acme); }\ncomplete -F acme_words acme-tool\nPS1=ready\nunset HISTFILE\n" +
			"shown() { printf '[[%s]]' \"$READLINE_LINE\"; }\nbind -x '\"\\C-g\": shown'\nbind '\"\\C-t\": insert-completions'\n" +
			"bind 'set enable-bracketed-paste off'\n",
		".zshrc": "unset HISTFILE\nPS1=ready\nfpath=($HOME/functions $fpath)\nautoload -U compinit; compinit -u -D\n" +
			"all() { _main_complete; compstate[insert]=all }\nzle -C all complete-word all; bindkey '^T' all\n" +
			"shown() { printf '[[%s]]' $BUFFER; zle reset-prompt }\nzle -N shown; bindkey '^G' shown; bindkey '^U' kill-whole-line\n" +
			"acme_words() { compadd -- --flag-of-acme }\ncompdef acme_words acme-tool\n",
	} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(home, "bin")+":"+os.Getenv("PATH"))
	for name, value := range map[string]string{"HOME": home, "ZDOTDIR": home, "XDG_STATE_HOME": home + "/state", "XDG_DATA_HOME": home + "/data",
		"XDG_CONFIG_HOME": home + "/config", "TERM": "dumb", "DESK_A": "1", "DESK_B": "2", "DESK_C$(>trapped)": "3"} {
		t.Setenv(name, value)
	}
	return d
}

// script writes what the program prints for a shell.
func (d *desk) script(t *testing.T, shell, name string) {
	t.Helper()
	text, _ := must(t, "completion", shell)
	at := filepath.Join(d.home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// interactive starts a shell on a terminal. The function types a line and ^T, which inserts all completions, and returns
// what came of the last word.
func (d *desk) interactive(t *testing.T, shell string, args ...string) func(line string) []string {
	t.Helper()
	ours, theirs := openPTY(t, 500)
	cmd := exec.Command(shell, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = d.work, theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // shells want job control
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	out := make(chan []byte, 100)
	go func() {
		defer close(out)
		for {
			b := make([]byte, 4096)
			n, err := ours.Read(b)
			if err != nil {
				return
			}
			out <- b[:n]
		}
	}()
	awaited := func(what string, enough func(out string) bool) {
		var all []byte
		for !enough(string(all)) {
			b := testbed.Receive(t, fmt.Sprintf("%s: what the shell prints after %q", what, all), out)
			if b == nil {
				t.Fatalf("%s: the shell ended: %q", what, all)
			}
			all = append(all, b...)
		}
	}
	awaited("start", func(out string) bool { return strings.Contains(out, "ready") })
	return func(line string) (words []string) {
		if _, err := ours.WriteString(line + "\x14\x07\x15"); err != nil {
			t.Fatal(err)
		}
		awaited(line, func(out string) bool {
			_, rest, _ := strings.Cut(out, "[[")
			text, _, ended := strings.Cut(rest, "]]")
			words = inserted(line, text)
			return ended
		})
		return words
	}
}

// inserted are the words that stand in a line in place of the last word. bash writes what stands in front of a : or =
// once.
func inserted(before, line string) []string {
	at := strings.LastIndexByte(before, ' ') + 1
	word := before[at:]
	if line == before || len(line) < at {
		return nil
	}
	words := strings.Fields(line[at:])
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "/")
	}
	if front := word[:strings.LastIndexByte(word, '=')+1]; front != "" {
		for i := range words {
			words[i] = front + strings.TrimPrefix(words[i], front)
		}
	}
	return words
}
