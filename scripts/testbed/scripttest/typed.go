package scripttest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// This file: what a line on standard error proposes is typed.

// TypeProposals has each launch of the scripts whose lines propose flags started again with those in front of its own.
// The launch may then not be refused for one of them, and no line may propose the same again. A script sees nothing of
// that: its folder is put back.
func (s *Scripts) TypeProposals(program string) { s.typed = program }

// Typed is how many launches were started again.
func (s *Scripts) Typed() int { return int(s.lines.Load()) }

// flagged finds a flag with a value that a person could type as it stands: no word of the sentence behind the flag, no
// stand-in for a value, and nothing that was shortened.
var flagged = regexp.MustCompile(`--(?:(?:(?:allow|deny)-(?:read|write)|allow-unix-socket|cwd) ` +
	`(?:'[^'…]*'|[/~][^ ,;)…]*)|` +
	`allow-domain (?:localhost:[0-9]+|[^ ,;)…]*[a-z0-9]\.[^ ,;)…]*[a-z0-9])|allow-private\b|` +
	`(?:memory|pids|tmp-size|open-files|cpu|timeout) [0-9][0-9a-zA-Z]*|` +
	`env [A-Z][A-Z0-9_]*\b|subprocess(?:=true)?\b|level network\b|min-confinement (?:limits|reduced)\b)`)

// A proposal is what a line on standard error has a person type.
type proposal struct {
	flag    string
	instead string // the flag of the command line in whose place it comes; "" for none
}

// proposals are those of the lines on standard error for a command line, each once. What the command line has already,
// and what a line is about, is none.
func proposals(stderr string, args []string) (all []proposal) {
	have := " " + strings.Join(args, " ") + " "
	for line := range strings.Lines(stderr) {
		text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "mcp-sandbox: ")
		if !ok || slices.ContainsFunc(notTyped(), func(part string) bool { return strings.Contains(text, part) }) {
			continue
		}
		subject := ""
		if strings.HasPrefix(text, "--") {
			if subject, text, ok = strings.Cut(text, ": "); !ok { // --pids 4 is less than …
				_, text, _ = strings.Cut(subject, " ")
			}
		}
		for _, flag := range flagged.FindAllString(text, -1) {
			p := proposal{flag: flag}
			name, _, _ := strings.Cut(flag, " ")
			if strings.HasPrefix(subject, name+" ") && strings.Contains(have, " "+subject+" ") {
				p.instead = subject
			}
			known := slices.ContainsFunc(all, func(q proposal) bool { return q.flag == flag })
			if !known && !strings.Contains(have, " "+flag+" ") {
				all = append(all, p)
			}
		}
	}
	return all
}

// notTyped are parts of lines whose flags stand for a word of the command line, or for one that was overridden; of the
// line about the variables that testscript sets; and of those by which packages would be fetched from a registry.
func notTyped() []string {
	return []string{`; see "mcp-sandbox `, " does not count: ", "not forwarded to the server: ", "for packages, ",
		" fetches packages, "}
}

// withTyped is a command line with what was proposed behind its own flags.
func withTyped(args []string, all []proposal) (words []string) {
	const alone = " --no-subprocess --subprocess --quiet --verbose --allow-private --tty --stdout-guard " +
		"--no-check-server-name "
	end := 3
	for end < len(args) && strings.HasPrefix(args[end], "--") && args[end] != "--" {
		if !strings.Contains(args[end], "=") && !strings.Contains(alone, " "+args[end]+" ") {
			end++
		}
		end++
	}
	end = min(end, len(args))
	own := " " + strings.Join(args[2:end], "\x00") + "\x00"
	for _, p := range all {
		if p.instead != "" {
			own = strings.Replace(own, strings.Replace(p.instead, " ", "\x00", 1)+"\x00", "", 1)
		}
	}
	words = strings.Split(strings.Trim(own, " \x00"), "\x00")
	for _, p := range all {
		name, value, given := strings.Cut(p.flag, " ")
		if words = append(words, name); given {
			words = append(words, strings.Trim(value, "'"))
		}
	}
	return append(words, args[end:]...)
}

// typeProposals starts a launch again with what the lines of the first one propose.
func (s *Scripts) typeProposals(ts *testscript.TestScript, args []string) {
	if s.typed == "" || len(args) < 3 || args[1] != s.typed || args[2] != "run" {
		return
	}
	stdout, stderr := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	all := proposals(stderr, args)
	if len(all) == 0 {
		return
	}
	s.lines.Add(1)
	work := ts.Getenv("WORK")
	kept := filepath.Join(filepath.Dir(work), "kept-"+filepath.Base(work))
	do := func(words ...string) {
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			ts.Fatalf("%q: %v: %s", words, err, out)
		}
	}
	do("cp", "-a", work, kept)
	err := ts.Exec(s.typed, withTyped(args, all)...)
	again := ts.ReadFile("stderr")
	var exit *exec.ExitError
	refused := errors.As(err, &exit) && exit.ExitCode() == 125
	for _, p := range all {
		switch {
		case refused && strings.Contains(again, "mcp-sandbox: "+p.flag):
			ts.Fatalf("%s was proposed by\n%sand typed it is refused:\n%s", p.flag, stderr, again)
		case slices.Contains(proposals(again, args), p):
			ts.Fatalf("%s was proposed by\n%sand is proposed again when it was typed:\n%s", p.flag, stderr, again)
		}
	}
	do("find", work, "-mindepth", "1", "-maxdepth", "1", "-exec", "rm", "-rf", "{}", "+")
	do("cp", "-a", kept+"/.", work)
	for name, text := range map[string]string{"stdout": stdout, "stderr": stderr} { // what the script looks at next
		if err := os.WriteFile(filepath.Join(kept, name), []byte(text), 0o644); err != nil {
			ts.Fatalf("%v", err)
		}
	}
	ts.Check(ts.Exec("sh", "-c", `cat "$0/stdout"; cat "$0/stderr" >&2`, kept))
	do("rm", "-rf", kept)
}
