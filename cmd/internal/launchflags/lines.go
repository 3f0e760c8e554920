package launchflags

import (
	"errors"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// Lines is what is wrong as people read it, one thing a line, without line breaks of its own. Each names where it was
// written: flag returns the flag that gave a key its value, "" where it was none.
func (s Source) Lines(err error, flag func(key string) string) []string {
	var errs policy.Errors
	if !errors.As(err, &errs) {
		where := s.String()
		if s.ByFlag {
			where = "--policy " + where
		}
		return []string{join(where, err.Error())}
	}
	lines := make([]string, len(errs))
	for i, e := range errs {
		lines[i] = join(s.String(), e.Error())
		if flag == nil {
			continue
		}
		if name := flag(Key(e.Pointer)); name != "" {
			lines[i] = join(name, e.Msg)
		}
	}
	return lines
}

func join(where, what string) string {
	if where == "" {
		return what
	}
	return where + ": " + what
}

// Key is the policy's key that a JSON pointer leads to or into, such as "filesystem.allowRead"; "" for none.
func Key(pointer string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	for _, key := range policy.Keys() {
		if name == key || strings.HasPrefix(name, key+".") {
			return key
		}
	}
	return ""
}

// Command are the words behind the "--" that args begin with.
func Command(args []string) ([]string, error) {
	switch {
	case len(args) > 0 && args[0] != "--":
		return nil, errors.New("unexpected " + text.Quote(args[0]) + ": the command comes after --")
	case len(args) < 2:
		return nil, errors.New("no command: it comes after --")
	case args[1] == "":
		return nil, errors.New("the command is empty")
	}
	if name, _, is := strings.Cut(args[1], "="); is && !strings.ContainsAny(name, `/\`) {
		return nil, errors.New(text.Quote(args[1]) + " stands where the command belongs: a variable is set by env or " +
			"envVars of the policy, with mcp-sandbox run by --env " + name)
	}
	return args[1:], nil
}
