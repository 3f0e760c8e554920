package escape_test

import "strings"

// A hole is why reduced lets rows through. A name that ends in * stands for all that begin so.
type hole struct {
	why   string
	names []string
	below int // only below this version of Landlock
}

// holds reports whether a row is one of the hole's.
func (h *hole) holds(name string) bool {
	for _, n := range h.names {
		if prefix, several := strings.CutSuffix(n, "*"); n == name || several && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// holes are the gaps of reduced, each for a mechanism that it does without.
func holes() []hole {
	return []hole{
		{"/proc is the host's: what it shows to everybody it shows here", []string{
			"open /proc/1/cmdline", "a host's process in /proc", "another's command line in /proc", "the host's objects in /proc", "names of the host's keys"}, 0},
		{"processes have the numbers that they have on the host; the signal that such a descriptor could send Landlock refuses from ABI 6", []string{
			"pidfd of a host's process", "F_SETOWN on a process of the host", "F_SETOWN_EX on a process of the host", "FIOSETOWN on a process of the host",
			"SIOCSPGRP on a process of the host"}, 0},
		{"a filter cannot tell a thread's own number from another process's, and threads are scheduled by theirs: the user's other processes can be slowed down", []string{
			"setpriority on a process of the host", "ioprio_set on a process of the host", "sched_setaffinity on a process of the host",
			"sched_setscheduler on a process of the host"}, 0},
		{"Landlock has no right for looking at a name", []string{"a terminal of the host"}, 0},
		{"Landlock has no rule that takes away below what another gives. A policy that denies is refused, unless it writes minConfinement out", []string{
			"write a frozen file", "write a frozen file through O_PATH", "a denied file*", "chmod a denied file", "chmod a frozen file", "rename denied*", "exchange denied*", "remove denied*",
			"rename frozen*", "exchange frozen*", "remove frozen*", "rename a *", "exchange a *", "rename a/b*", "exchange a/b*", "rename c*", "exchange c*",
			"hard link to a denied file", "hard link to a frozen file"}, 0},
		{"what would be protected is only listed in the report, under unprotected, for the same reason", []string{
			"rename protected*", "exchange protected*", "remove protected .mcp.json", "rename repo*", "exchange repo*", "a hook in a repository below", "its configuration",
			"a commondir in .git", "tasks of an editor", "servers of a host", "servers of another host", "what a link in .vscode leads to",
			"a file that its configuration includes", "a hook where its configuration has them", "another hook there", "hard link to a protected file"}, 0},
		{"Landlock has no right for owners, modes, times and attributes: those of a file that is the server's user's can be changed", []string{
			"chmod in a read grant", "chmod by descriptor", "chmod through O_PATH", "chown in a read grant", "chown by descriptor", "utimes in a read grant",
			"utimes by descriptor", "set an attribute*", "remove an attribute", "set an access list", "set flags of a file"}, 0},
		{"below Landlock ABI 6 nothing bounds signals to the user's other processes, but the filter's rules for init, the launcher and groups", []string{
			"kill a process of the host", "tkill on*", "tgkill on*", "rt_sigqueueinfo on*", "rt_tgsigqueueinfo on*", "the peer of standard input"}, 6},
		{"no mount takes the devices out of a grant", []string{"a device in a write grant"}, 0},
	}
}

// reason says why reduced lets a row through on a kernel with this version of Landlock, or nothing.
func reason(name string, abi int) string {
	for _, h := range holes() {
		if (h.below == 0 || abi < h.below) && h.holds(name) {
			return h.why
		}
	}
	return ""
}
