package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/tryout"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// visible is a text with what a terminal would act on escaped, but for lines and tabulators.
func visible(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c == '\n' || c == '\t' || strconv.IsPrint(c) {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "\\u%04x", c)
		}
	}
	return b.String()
}

// ask asks the user.
func (r *rewriting) ask(changes int) (yes bool, code int) {
	if runtime.GOOS != "linux" && r.name == "wrap" {
		reexec.Say("on this system nothing of these policies is held but limits: servers can do what you can")
	}
	fmt.Fprintf(os.Stderr, "%s %d servers? [y/N] ", r.name, changes)
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, 0
	}
	reexec.Say(r.name + ": nothing was changed")
	return false, r.code
}

// change changes the files.
func (r *rewriting) change() {
	backups := ""
	for _, f := range r.files {
		entries := r.of(f)
		if len(entries) == 0 {
			continue
		}
		result, err := f.Change(entries)
		if err != nil {
			r.refused(err.Error())
			for _, e := range entries {
				e.Change = false
			}
			continue
		}
		backups = filepath.Dir(result.Backup)
		line := fmt.Sprintf("%s: %d %sped in %s", f.Host.Name, len(entries), r.name, f.Path)
		reexec.Say(strictjson.Printable(line))
		if f.Host.Restart != "" {
			reexec.Say(f.Host.Title + ": " + f.Host.Restart)
		}
	}
	if backups != "" {
		reexec.Say("the files as they were: " + strictjson.Printable(backups))
	}
}

// tryTime is how long a server has for its first answers: it may have to be installed.
const tryTime = 2 * time.Minute

// tryAll starts each server that was wrapped, and unwraps those that do not answer.
func (r *rewriting) tryAll() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, e := range r.entries {
		if !e.Change || e.Made == nil {
			continue
		}
		one, cancel := context.WithTimeout(ctx, tryTime)
		words := e.Words()
		words[0] = r.scope.Program
		tools, err := tryout.Ask(one, &tryout.Server{Command: words, Dir: e.Folder(),
			Env: append(os.Environ(), e.Variables()...)})
		cancel()
		if err == nil {
			reexec.Say(fmt.Sprintf("%s answers: %d tools", e.Title(), tools))
			continue
		}
		why := strictjson.Printable(err.Error())
		if err := r.scope.Restore(e); err != nil {
			why += ", and its entry could not be put back: " + strictjson.Printable(err.Error())
		} else {
			why += ": its entry is as it was"
		}
		r.refused(e.Title() + " does not answer: " + why)
	}
}
