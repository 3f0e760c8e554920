package edit

import (
	"errors"
	"slices"
	"strings"
)

// own counts the words that wrap wrote before a command, its program with them, and finds the policy; 0: none.
func (d *Document) own(words []string) (count int, policy string) {
	if len(words) < 5 || base(words[0]) != "mcp-sandbox" || words[1] != "run" {
		return 0, ""
	}
	policy, joined := strings.CutPrefix(words[2], "--policy=")
	count = 4
	if !joined {
		if count, policy = 5, words[3]; words[2] != "--policy" || len(words) < 6 {
			return 0, ""
		}
	}
	if words[count-1] != "--" || !d.ours(policy) || !written(words[0], policy) {
		return 0, ""
	}
	return count, policy
}

// written reports whether wrap names the launcher so beside such a policy: by its name alone in a project, whose
// policies are relative, else by an absolute path. Another program of that name can be anything.
func written(program, policy string) bool {
	if !strings.ContainsAny(program, `/\`) {
		return true
	}
	return isRooted(program) && isRooted(policy)
}

// isRooted reports whether a path of any system is absolute.
func isRooted(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) || len(path) > 2 && path[1] == ':'
}

// classify says what can be done with the entry n, whose command lies in e.
func (d *Document) classify(s *Server, e *entry, n *node) {
	s.State = Cannot
	if s.Reason = e.read(s, n); s.Reason != "" {
		return
	}
	if count, policy := d.own(s.Command); count > 0 {
		s.State, s.Program, s.Policy, s.Command = Wrapped, s.Command[0], policy, s.Command[count:]
		e.own = count
		return
	}
	if s.Reason = leave(s.Command); s.Reason != "" {
		return
	}
	if _, err := d.wrap(e, "program", "policy"); err != nil {
		s.Reason = err.Error()
		return
	}
	s.State = Plain
}

// read finds the command and its arguments, or returns why there are none.
func (e *entry) read(s *Server, n *node) string {
	command, args := e.holder.value(e.command), e.holder.value("args")
	var ok bool
	switch {
	case remote(n) || command == nil && address(n):
		return "reached by a URL: no program is started"
	case command == nil:
		return "no command: the host itself has what is meant"
	case !n.starts():
		return "its type is none of those by which a host starts the command"
	case e.list:
		if s.Command, ok = command.texts(); !ok {
			return "the command is not a list of words"
		}
		e.words = command.items
	case command.kind != text:
		return "the command is not a text"
	default:
		s.Command, e.words = []string{command.text}, []*node{command}
		if args != nil {
			more, ok := args.texts()
			if !ok {
				return "the arguments are not a list of words"
			}
			s.Command, e.words = append(s.Command, more...), append(e.words, args.items...)
		}
	}
	if len(s.Command) == 0 || s.Command[0] == "" {
		return "no command"
	}
	return ""
}

// fixed is why an entry cannot be changed alone, or its variables are not all known: both are in YAML only.
func (n *node) fixed() error {
	if n.bound != nil {
		return n.bound
	}
	if args := n.value("args"); args != nil && args.bound != nil {
		return args.bound
	}
	for _, key := range environments() {
		if v := n.value(key); v != nil && v.bound != nil && !errors.Is(v.bound, errShared) {
			return v.bound
		}
	}
	return nil
}

// remote reports whether an entry says that the host connects.
func remote(n *node) bool {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(n.word("type"))) {
	case "http", "sse", "streamablehttp", "remote", "ws", "websocket":
		return true
	}
	return false
}

// starts reports whether nothing in an entry says that the host starts something else than the command, or elsewhere.
func (n *node) starts() bool {
	keys := []string{"type", "transport", "transportType", "source", "uses", "experimental_environment"}
	return !slices.ContainsFunc(n.all(keys), func(v *node) bool {
		return v.kind > text || !slices.Contains([]string{"", "stdio", "local", "custom"}, strings.ToLower(v.text))
	})
}

func addresses() []string { return []string{"url", "uri", "serverUrl", "httpUrl", "endpoint"} }

// hasAddress reports whether some host reads an address there, by a key in whatever case.
func (n *node) hasAddress() bool {
	return slices.ContainsFunc(n.all(addresses()), func(v *node) bool { return v.text != "" })
}

func address(n *node) bool {
	for _, key := range addresses() {
		if n.get(key) != nil {
			return true
		}
	}
	return false
}
