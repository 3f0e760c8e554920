package cli

import (
	"encoding/json"
	"errors"
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// Hinted is one clear line with where to read more: the help of a command, or of the program where that is "".
func Hinted(command, line string) string {
	return line + `; see "` + strings.TrimSpace("mcp-sandbox "+command) + ` --help"`
}

// Typed is a word of the command line as a person types the word again. The value behind "=" may be a secret.
func Typed(word string) string {
	if strings.Contains(word, "=") {
		return text.Quote(word)
	}
	return text.Shell(word)
}

// UsageError says in one line what is wrong with the command line.
func UsageError(command, line string) int { return Fail(Hinted(command, line)) }

// Fail says why nothing was done, and returns the exit code.
func Fail(lines ...string) int { return reexec.Refuse(-1, lines) }

// Show prints what was asked for. No server runs, so standard output is free.
func Show(text string) int {
	if _, err := os.Stdout.WriteString(text); err != nil {
		return Fail("standard output: " + err.Error())
	}
	return 0
}

// ShowJSON prints a result as programs read it.
func ShowJSON(result any) int { return Show(AsJSON(result)) }

// AsJSON is a result as programs read it.
func AsJSON(result any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	e.Encode(result) // data of our own types: nothing can fail
	return text.Lines(b.String())
}

// Operands are the words of a command without "--".
func Operands(args []string) []string {
	if len(args) > 0 && args[0] == "--" {
		return args[1:]
	}
	return args
}

// NoOperand is the error of words behind a command that takes none.
func NoOperand(args []string) error {
	if len(args) > 0 {
		return errors.New("unexpected " + text.Quote(args[0]))
	}
	return nil
}

// File is the one file that a command takes.
func File(args []string, needed bool) (string, error) {
	args = Operands(args)
	switch {
	case len(args) > 1:
		return "", errors.New("unexpected " + text.Quote(args[1]))
	case len(args) == 1 && args[0] != "":
		return args[0], nil
	case len(args) == 1:
		return "", errors.New("the file's name is empty")
	case needed:
		return "", errors.New("no file: name one behind the command")
	}
	return "", nil
}

// Cause is an error without the path, which the message has already.
func Cause(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

func reach(words []string) {
	reexec.Reach(nil, words, "", func() int { return -1 })
}
