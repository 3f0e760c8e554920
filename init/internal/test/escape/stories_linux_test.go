package escape_test

import "testing"

// A story is an escape that takes more than one act, or a launch of its own.
type story struct {
	name string
	run  func(t *testing.T, l level)
	gap  string // what of it full lets through
	open string // what of it reduced lets through beyond that, or why it is not told there
}

// stories have their own controls.
func stories() []story {
	return []story{
		{name: "a signal to every process", run: signalToAll},
		{name: "a signal that the kernel sends for a descriptor (F_SETOWN, F_SETSIG)", run: ownerSignal},
		{name: "a set-user-ID program in a grant", run: setuidProgram},
		{name: "a program with file capabilities in a grant", run: fileCapabilities},
		{name: "an i386 program", run: foreignProgram},
		{name: "the server's own program, once nobody executes it", run: ownProgram},
		{name: "private folders filled, in bytes and in inodes", run: privateFoldersFill,
			open: "they are folders on the host's disk, with no cap of their own; of very many names some are left to the next launches to remove"},
		{name: "a mount of the host below a read grant", run: submount},
		{name: "a folder of a granted path and a link change places", run: symlinkSwap,
			open: "the rules are made from what the launcher opened; the race was tried in full only"},
		{name: "a denied file that the host replaces", run: replacedFile,
			open: "Landlock has no rule that takes away below what another gives"},
		{name: "a folder that the host moves out of a grant", run: movedFolder},
		{name: "descriptors that a shell leaks", run: leakedDescriptors},
		{name: "a log file on standard output or error", run: logFile},
		{name: "a file on standard input", run: inputFile},
		{name: "a socket on standard input", run: inputSocket},
		{name: "a socket of the internet on standard input, connected with another address", run: inputInternet},
		{name: "sockets in granted folders, by whatever name they were bound", run: socketsInGrants,
			gap: "below Landlock ABI 9 those of another network namespace, and those bound after the start, can be connected to; the report's root layer says so"},
		{name: "a socket in a granted folder that its program makes anew", run: socketAnew},
		{name: "a pipe on standard error", run: errorPipe,
			gap: "a pipe is opened again through /proc/self/fd in either direction by who has its maker's user id, so a server can read what others write to a pipe that it shares; give it one of its own"},
		{name: "a terminal on standard error", run: errorTerminal,
			gap: "a terminal that is handed over is the server's to read, write and set, but for TIOCSTI, TIOCLINUX, TIOCSETD, TIOCEXCL, TIOCNXCL and TCXONC"},
		{name: "the machine's user 0 in a namespace of one id, without Landlock", run: onlyRoot,
			gap:  "it can read what /proc shows to root alone, such as slabinfo and kpagecount, and write none of it; give the launcher another user, or an id to switch to",
			open: "without Landlock there is no reduced"},
		{name: "a core dump to a program of the host", run: coreDump,
			gap: "of a socket in core_pattern (@/path, Linux 6.16) the kernel looks at no limit, and of a program only at 1, which a launcher whose own hard limit is 0 cannot give; the report says so"},
		{name: "TCP, UDP, MPTCP and fast open to a host's addresses", run: addresses},
	}
}

func TestStories(t *testing.T) {
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) { s.run(t, standard()) })
	}
}

func TestStoriesOfReduced(t *testing.T) {
	needLandlock(t)
	for _, s := range stories() {
		if s.open == "" {
			t.Run(s.name, func(t *testing.T) { s.run(t, standard().weaker()) })
		}
	}
}
