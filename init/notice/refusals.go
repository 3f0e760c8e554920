package notice

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// This file: refusals as mcp-sandbox why lists them, and the line at a server's end that names this command.

// Act names a refused act, in a few words.
func Act(a *order.Act) string {
	host := cmp.Or(a.Host, a.Address)
	switch {
	case a.Syscall != "":
		return a.Syscall
	case a.Path != "":
		return a.Path
	case host == "" && a.Kind == order.DeniedLimit:
		return cmp.Or(a.Asked, "another process")
	case host == "":
		return cmp.Or(a.Asked, string(a.Kind))
	case a.Kind == order.DeniedUDP:
		return host + " udp " + strconv.Itoa(int(a.Port))
	case a.Port != 0:
		return withPort(host, a.Port)
	}
	return host
}

// Reason says why an act was refused. Text of the report in it is not yet printable.
func Reason(d *order.DeniedCount) string {
	switch d.Kind {
	case order.DeniedSyscall:
		switch {
		case d.Flag != "":
			return "it may start no other program"
		case d.Syscall == "listen":
			return "without a network namespace no port of the server's can be reached"
		case d.Syscall == "connect":
			return "the launcher may not look into the program, whose file its user cannot read"
		}
		return "the filter refuses this system call"
	case order.DeniedName:
		switch {
		case d.Asked == localhost:
			return "this machine by its hosts file: the server has to ask for localhost"
		case d.Asked != "":
			return "search lists are not used: the server has to ask for " + d.Asked
		}
		if d.Flag == "" && d.Suggest() != "" {
			return "denied by network.deniedDomains"
		}
		return "no entry allows this name"
	case order.DeniedPort:
		return "no entry opens this port"
	case order.DeniedAddress:
		return "an address that no allowed name has"
	case order.DeniedPrivate:
		if d.Flag == "" {
			return "resolves to an address that is denied or that no policy opens"
		}
		return "resolves to a private address"
	case order.DeniedServerName:
		return "the server asked for " + cmp.Or(d.Asked, "no name that can be checked") + " there (TLS server name)"
	case order.DeniedUDP:
		return "only TCP can be allowed"
	case order.DeniedUpstream:
		return failure(d.Errno)
	case order.DeniedLimit:
		if d.Asked == "" {
			return "limits.pids processes are there already"
		}
		return "a limit of the sandbox"
	case order.DeniedOpen, order.DeniedExec, order.DeniedUnix:
		return unseen(d.Errno)
	}
	return "refused" + spaced(d.Errno)
}

// unseen is why a path could not be opened, executed or connected to.
func unseen(errno string) string {
	switch errno {
	case "ENOENT":
		return "not there: no grant covers it"
	case "EROFS":
		return "read-only: no grant for writing covers it"
	}
	return "refused" + spaced(errno)
}

func spaced(errno string) string {
	if errno == "" {
		return ""
	}
	return " with " + errno
}

// Why is the line at the end of a server that was refused something. report is the report's file; "" is the one that
// is kept. last are acts for the end of a server that hardly lived; nil for others.
func Why(n int, report string, last []order.Act) string {
	s := strconv.Itoa(n) + " refusals: mcp-sandbox why"
	if n == 1 {
		s = "1 refusal: mcp-sandbox why"
	}
	if report = text.Shell(report); report != "''" && len(report) < Width/2 {
		s += " " + report
	} else if report != "''" {
		s += ", with the file of the report"
	}
	var acts []string
	for i := len(last) - 1; i >= 0; i-- {
		acts = append(acts, Act(&last[i]))
	}
	if len(acts) > 0 {
		s += "; the last: " + list(acts, ", ", 80)
	}
	return line(strings.TrimSpace(s))
}
