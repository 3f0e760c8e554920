package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// State is what can be done with a server.
type State uint8

const (
	Plain   State = iota // started as it is
	Wrapped              // started in a sandbox, by an entry that wrap wrote
	Cannot               // neither; the reason says why
)

func (s State) String() string { return [...]string{"plain", "wrapped", "cannot"}[s] }

// A Server is an entry.
type Server struct {
	Name    string
	Under   string // the key for which * stands in the form's roots: of which project the server is; else empty
	State   State
	Reason  string   // why, for Cannot; of Wrapped, that there are flags besides the policy
	Program string   // of Wrapped: mcp-sandbox, as written
	Policy  string   // of Wrapped
	Command []string // and the arguments, without what wrap wrote; none if there is no command
	Env     []string // the names of the variables that the entry sets or passes on
	EnvFile bool     // a file has more of them
	URL     bool     // an address stands there too
	Runs    bool     // a text in the entry has $(COMMAND)
	Dir     string   // the working folder, as written
}

// Servers are those of the file, in their order.
func (d *Document) Servers() []Server { return d.servers }

// An entry says where a server's words lie.
type entry struct {
	path      []any // keys, and places in lists, from the root of the document to holder
	holder    *node // the table in which the command lies
	command   string
	list      bool     // the command is a list, and the arguments are in it
	words     []*node  // the command, and its arguments
	own       int      // how many of them wrap wrote, its program and the flags that were added with them
	variables []string // NAME=VALUE
}

// errTwice names no key: a key of a server can be anything.
var errTwice = errors.New("a key is there twice where servers are written, or one that may stand for others: " +
	"{env:NAME}, {file:PATH} or " + prototype)

// find goes along the roots of the form.
func (d *Document) find() error {
	for root := range strings.FieldsSeq(d.form.Roots) {
		if err := d.walk(d.root, strings.Split(root, "/"), nil, ""); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) walk(n *node, keys []string, path []any, under string) error {
	if n == nil {
		return nil
	}
	if n.twice {
		return errTwice
	}
	written := len(keys) > 0 && n.value(keys[0]) != nil // and then counts, whatever is merged
	if errors.Is(n.bound, errAlias) || errors.Is(n.bound, errMerged) && !written {
		return n.bound
	}
	switch {
	case len(keys) == 0 && d.form.Named:
		for i, item := range n.items {
			if err := d.add(item, append(slices.Clone(path), i), item.value("name"), under); err != nil {
				return err
			}
		}
	case len(keys) == 0:
		for _, m := range n.members {
			if err := d.add(m.value, append(slices.Clone(path), m.name), &node{text: m.name}, under); err != nil {
				return err
			}
		}
	case keys[0] == "*":
		for _, m := range n.members {
			if err := d.walk(m.value, keys[1:], append(slices.Clone(path), m.name), m.name); err != nil {
				return err
			}
		}
	case n.value(keys[0]) != nil && len(n.all(keys[:1])) > 1: // for hosts that do not tell cases apart
		return errTwice
	default:
		return d.walk(n.value(keys[0]), keys[1:], append(slices.Clone(path), keys[0]), under)
	}
	return nil
}

// add reads one entry.
func (d *Document) add(n *node, path []any, name *node, under string) error {
	if len(d.servers) == maxServers {
		return fmt.Errorf("more than %d servers", maxServers)
	}
	s := Server{Under: under}
	if name != nil {
		s.Name = name.text
	}
	e := entry{path: path, holder: n, command: d.form.Command, list: d.form.Words}
	if e.command == "" {
		e.command = "command"
	}
	if n == nil || n.kind != table {
		s.State, s.Reason = Cannot, "the entry is no table of settings"
	} else if err := n.fixed(); err != nil {
		s.State, s.Reason = Cannot, err.Error()
	} else if n.twice {
		return errTwice
	} else {
		s.Env, e.variables = n.environment(), n.variables()
		s.EnvFile, s.URL = len(n.all(envFiles())) > 0, n.hasAddress()
		n.each(false, func(v *node, _ bool) {
			s.Runs = s.Runs || strings.Contains(v.text, "$(") || strings.Contains(v.text, "`")
		})
		if inner := n.value(e.command); inner != nil && inner.kind == table { // as Zed wrote entries until 2025
			if inner.twice {
				return errTwice
			}
			e.path, e.holder, e.command = append(path, e.command), inner, "path"
			s.Env = append(s.Env, inner.environment()...)
			e.variables = append(e.variables, inner.variables()...)
		}
		dir, one := n.folder()
		s.Dir = dir
		if twin := e.twin(); twin != "" {
			s.State, s.Reason = Cannot, fmt.Sprintf("both %q and %q are there", e.command, twin)
		} else if !one {
			s.State, s.Reason = Cannot, "two keys name a working folder"
		} else {
			d.classify(&s, &e, n)
		}
	}
	d.servers, d.entries = append(d.servers, s), append(d.entries, e)
	return nil
}

// twin is a key that some hosts take for the command's or the arguments', because they do not tell cases apart.
func (e *entry) twin() string {
	for _, m := range e.holder.members {
		for _, own := range []string{e.command, "args"} {
			if m.name != own && strings.EqualFold(m.name, own) {
				return m.name
			}
		}
	}
	return ""
}

func (n *node) word(name string) string {
	if v := n.value(name); v != nil {
		return v.text
	}
	return ""
}

// environment are the names of an entry's variables, whatever the host calls them.
func (n *node) environment() []string {
	var names []string
	for _, v := range n.all(environments()) {
		for _, m := range v.members {
			names = append(names, m.name)
		}
		for _, item := range v.items { // ["NAME=VALUE"]
			name, _, _ := strings.Cut(item.text, "=")
			names = append(names, name)
		}
	}
	for _, key := range []string{"env_keys", "env_vars"} {
		more, _ := n.value(key).texts()
		names = append(names, more...)
	}
	return names
}

// folder is the working folder, as written; one: no other key names another.
func (n *node) folder() (dir string, one bool) {
	for _, v := range n.all([]string{"cwd", "workingDirectory", "working_directory"}) {
		if dir != "" && v.text != dir {
			return dir, false
		}
		dir = v.text
	}
	return dir, true
}
