package withheld

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
)

// maxVariables is how many variables a report names in notices.
const maxVariables = 64

// A process is one of those above this one.
type process struct {
	executable string // its file
	args       []string
	env        []string // as the process was started
	parent     int
}

// mostOfEntry is how many variables an entry of a client's configuration has at most. A client that hands over more has
// taken them from a shell after its own start, as editors do.
const mostOfEntry = 12

// forgotten are the notices of variables: one line names them all, or of many those that look like a setting.
func forgotten(names []string) (all []order.Notice) {
	for _, name := range names[:min(len(names), maxVariables)] {
		all = append(all, order.Notice{Kind: order.NoticeEnv, Name: name, Flag: "--env " + name})
	}
	if len(names) > mostOfEntry { // those of a rank stand together
		names = names[:slices.IndexFunc(append(names, ""), func(n string) bool { return !notice.IsSetting(n) })]
	}
	if len(names) > 0 {
		all[0].Line = notice.Variables(names)
	}
	return all
}

// maxWrappers is how many programs may stand between this one and its client.
const maxWrappers = 5

// added are those of the names that the client of this program set for the server: the client's own environment does
// not have them. A shell has variables of its own, so under a shell nothing is known, and neither where the environment
// cannot be read. Names that look like a key or an address come first.
func added(names []string, pid int, read func(pid int) (process, bool)) []string {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !isName(n) || notice.IsSession(n) })
	for range maxWrappers {
		if len(names) == 0 {
			return nil // and nothing is read
		}
		p, ok := read(pid)
		switch role := p.role(); {
		case !ok || role == session:
			return nil
		case role == client:
			return p.lacks(names)
		}
		pid = p.parent
	}
	return nil
}

// lacks are the names that the environment of a process has not.
func (p *process) lacks(names []string) (lacking []string) {
	has := make(map[string]bool, len(p.env))
	for _, entry := range p.env {
		name, _, ok := strings.Cut(entry, "=")
		has[name] = ok
	}
	if !has["PATH"] { // overwritten with a title for ps(1), or nothing that says much
		return nil
	}
	for _, name := range names {
		if !has[name] {
			lacking = append(lacking, name)
		}
	}
	slices.SortStableFunc(lacking, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return lacking
}

func rank(name string) int {
	if notice.IsSetting(name) {
		return 0
	}
	return 1
}

// isName reports whether a variable has a name that programs can ask for.
func isName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// A role is what a process above this one is for.
type role uint8

const (
	client  role = iota // starts servers
	wrapper             // hands its environment on
	session             // makes an environment for a person, as shells do
)

const (
	shells = " sh bash rbash dash ash zsh fish ksh mksh oksh lksh pdksh csh tcsh elvish nu pwsh yash posh " +
		"xonsh rc es osh "
	sessions = " sshd sshd-session dropbear login su systemd init tmux screen zellij cron crond atd agetty runuser " +
		"machinectl pkexec supervisord s6-supervise s6-svscan runsv runit runit-init openrc-init openrc-run dinit " +
		"finit xterm uxterm urxvt urxvtd konsole gnome-terminal-server ptyxis-agent xfce4-terminal kitty alacritty " +
		"wezterm wezterm-gui foot footclient st ghostty tilix "
	wrappers = " ionice time strace ltrace flock script unbuffer sudo doas tini dumb-init catatonit chrt taskset " +
		"systemd-run "
)

func (p *process) role() role {
	base := path.Base(strings.TrimSuffix(p.executable, " (deleted)"))
	if base == "busybox" || base == "toybox" || base == "coreutils" || base == "rosetta" {
		base = p.argument(0)
	}
	has := func(words, word string) bool { return strings.Contains(words, " "+word+" ") }
	switch unversioned := strings.TrimRight(base, "0123456789.-"); {
	case has(shells, base), has(shells, unversioned):
		if flag := p.argument(1); strings.HasPrefix(flag, "-") && strings.HasSuffix(flag, "c") && flag != "--rc" {
			return wrapper // sh -c COMMAND, as clients start commands
		}
		return session
	case has(sessions, base), has(sessions, unversioned):
		return session
	case has(wrappers, base), runtimes.Starts(base), unversioned == "node" && runtimes.Starts(p.argument(1)),
		unversioned == "node" && len(p.args) > 0 && strings.HasPrefix(p.args[0], "npm "): // its title
		return wrapper
	}
	return client
}

// argument is the base name of a word of the process's command line.
func (p *process) argument(i int) string {
	if i >= len(p.args) {
		return ""
	}
	word := path.Base(p.args[i])
	if i == 0 {
		word = strings.TrimPrefix(word, "-") // of a login shell
	}
	return word
}
