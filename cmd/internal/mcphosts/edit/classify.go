package edit

import (
	"errors"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// own counts the words that wrap wrote before a command, its program with them, and finds the policy; 0: none. added
// are those of them that are flags which the user put behind the policy.
func (d *Document) own(words []string) (count int, policy string, added []string) {
	if len(words) < 5 || startline.Program(words[0]) != "mcp-sandbox" || words[1] != "run" {
		return 0, "", nil
	}
	policy, joined := strings.CutPrefix(words[2], "--policy=")
	first := 3
	if !joined {
		if first, policy = 4, words[3]; words[2] != "--policy" {
			return 0, "", nil
		}
	}
	count = first + flags(words[first:])
	if count+1 >= len(words) || words[count] != "--" || !d.ours(policy) || !written(words[0], policy) {
		return 0, "", nil
	}
	return count + 1, policy, words[first:count]
}

// Valued are the flags of run with a value, each of its own, that lines of a launch and its documents propose, and Bare
// those without. A test of mcp-sandbox compares them with run's.
const (
	Valued = " --allow-read --allow-write --allow-domain --allow-unix-socket --deny-read --deny-write --deny-domain" +
		" --env --env-file --state --cwd --level --profile --report --memory --pids --open-files --tmp-size --cpu" +
		" --timeout --install-size --min-confinement --publish "
	Bare = " --subprocess --verbose --quiet --allow-private --no-check-server-name --scripts --registry-auth --tty "
)

// names are those of flags, without values.
func names(added []string) string {
	var all []string
	for len(added) > 0 {
		name, _, _ := strings.Cut(added[0], "=")
		if all = append(all, name); flags(added[:1]) == 1 {
			added = added[1:]
		} else {
			added = added[2:]
		}
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(all))), " ")
}

// flags counts the words in front of all others that are such flags, with their values.
func flags(words []string) (n int) {
	for n < len(words) {
		name, _, joined := strings.Cut(words[n], "=")
		switch name = " " + name + " "; {
		case strings.Contains(Valued, name) && !joined && n+1 < len(words):
			n += 2
		case strings.Contains(Valued, name) && joined || strings.Contains(Bare, name):
			n++
		default:
			return n
		}
	}
	return n
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
	if count, policy, added := d.own(s.Command); count > 0 {
		s.State, s.Program, s.Policy, s.Command = Wrapped, s.Command[0], policy, s.Command[count:]
		if e.own = count; len(added) > 0 {
			s.Reason = "has flags besides its policy, on which nothing is said here: " + names(added) +
				" (what they allow can stand in the policy, and unwrap takes them away)"
		}
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

var errProto = errors.New("a variable is called " + prototype + ", below which a host may find others")

// fixed is why an entry cannot be changed alone, which is in YAML only, or its variables are not all known.
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
		} else if v.get(prototype) != nil {
			return errProto
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
	isTable := func(v *node) bool { return v.kind == table }
	if slices.ContainsFunc(n.all([]string{"config"}), isTable) { // which VS Code takes for the entry
		return false
	}
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
