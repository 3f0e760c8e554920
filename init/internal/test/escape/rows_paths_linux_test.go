package escape_test

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// ancestors: of everything that is denied, frozen or protected no folder up to the grant is renamed, exchanged or
// removed, and it neither.
func ancestors() (all []row) {
	const busy = "EBUSY EXDEV EACCES"
	seen := map[string]bool{}
	for _, p := range []struct{ kind, path string }{
		{"denied", "a/b/secret"}, {"frozen", "c/d/frozen"}, {"protected", "repo/.git"}, {"protected", ".git"}, {"protected", ".vscode"},
		{"protected", ".claude"}, {"protected", ".cursor"}, {"protected", ".mcp.json"},
	} {
		for at := p.path; at != "."; at = path.Dir(at) {
			if seen[at] {
				continue
			}
			seen[at] = true
			what, here := p.kind+" "+at, "S/write/"+at
			if at != p.path {
				what = at + " above " + p.kind + " " + path.Base(p.path)
			}
			all = append(all,
				row{name: "rename " + what, act: "rename " + here + " S/write/x", in: busy, control: "rename " + here + " S/write/x -- rename S/write/x " + here},
				row{name: "exchange " + what, act: exchange(here, "S/write/note"), in: busy, control: exchange(here, "S/write/note") + " -- " + exchange(here, "S/write/note")})
		}
		all = append(all, row{name: "remove " + p.kind + " " + p.path, act: "remove S/write/" + p.path, in: busy + " ENOTEMPTY EROFS",
			control: "write S/home/gone -- remove S/home/gone"})
	}
	return append(all,
		row{name: "rename the grant", act: "rename S/write S/other", in: "EBUSY EXDEV EACCES EROFS", control: "rename S/write S/other -- rename S/other S/write"},
		row{name: "a hook in .git", act: "write S/write/.git/hooks/pre-commit", in: "EROFS EACCES ENOENT", control: "write S/write/repo/.git/hooks/pre-commit"},
		row{name: "a hook in a repository below", act: "append S/write/repo/.git/hooks/post-commit", in: "EROFS EACCES"},
		row{name: "its configuration", act: "append S/write/repo/.git/config", in: "EROFS EACCES"},
		row{name: "a commondir in .git", act: "write S/write/repo/.git/commondir", in: "EROFS EACCES", control: "write S/write/repo/.git/commondir -- remove S/write/repo/.git/commondir"},
		row{name: "tasks of an editor", act: "append S/write/.vscode/tasks.json", in: "EROFS EACCES"},
		row{name: "servers of a host", act: "append S/write/.mcp.json", in: "EROFS EACCES"},
		row{name: "servers of another host", act: "append S/write/.gemini/settings.json", in: "EROFS EACCES"},
		row{name: "what a link in .vscode leads to", act: "append S/write/scripts/check", in: "EROFS EACCES"},
		row{name: "a file that its configuration includes", act: "append S/write/repo/included", in: "EROFS EACCES"},
		row{name: "a hook where its configuration has them", act: "append S/write/repo/hooks/pre-commit", in: "EROFS EACCES"},
		row{name: "another hook there", act: "write S/write/repo/hooks/new", in: "EROFS EACCES", control: "write S/write/repo/hooks/new -- remove S/write/repo/hooks/new"},
	)
}

func exchange(from, to string) string {
	return call(unix.SYS_RENAMEAT2, "-100 s:"+from+" -100 s:"+to+" 2")
}

// links: no name leads a file from one grant to another.
func links() []row {
	const crossed = "EROFS EXDEV EACCES EPERM"
	rename := func(from, to, flags string) string {
		return call(unix.SYS_RENAMEAT2, "-100 s:"+from+" -100 s:"+to+" "+flags)
	}
	all := []row{
		{name: "link into a read grant", act: "link S/write/note S/read/new", in: crossed, control: "link S/write/note S/read/new -- remove S/read/new"},
		{name: "link out of a read grant", act: "link S/read/file S/write/new", in: crossed, control: "link S/read/file S/write/new -- remove S/write/new"},
		{name: "hard link to a denied file", act: "link S/write/a/b/secret S/write/hard", in: crossed, control: "link S/write/a/b/secret S/write/hard -- remove S/write/hard"},
		{name: "hard link to a frozen file", act: "link S/write/c/d/frozen S/write/hard", in: crossed, control: "link S/write/c/d/frozen S/write/hard -- remove S/write/hard"},
		{name: "hard link to a protected file", act: "link S/write/repo/.git/config S/write/hard", in: crossed, control: "link S/write/repo/.git/config S/write/hard -- remove S/write/hard"},
		{name: "hard link to a program", act: "link /usr/bin/env S/write/hard", in: crossed, root: true, out: "EXDEV"},
		{name: "name an unnamed file in a read grant", act: "tmpfile S/write S/read/new", in: crossed, control: "tmpfile S/write S/read/new -- remove S/read/new"},
		{name: "an unnamed file of a read grant gets a name", act: "tmpfile S/read S/write/new", in: crossed, control: "tmpfile S/read S/write/new -- remove S/write/new"},
		{name: "rename into a read grant", act: "rename S/write/note S/read/new", in: crossed, control: "rename S/write/note S/read/new -- rename S/read/new S/write/note"},
		{name: "rename out of a read grant", act: "rename S/read/file S/write/new", in: crossed, control: "rename S/read/file S/write/new -- rename S/write/new S/read/file"},
		{name: "exchange across grants", act: exchange("S/write/note", "S/read/file"), in: crossed, control: strings.Repeat(exchange("S/write/note", "S/read/file")+" -- ", 2)},
		{name: "whiteout across grants", act: rename("S/write/note", "S/read/new", "4"), in: crossed, out: "EINVAL EPERM",
			control: "write S/home/w -- " + rename("S/home/w", "S/read/w", "4") + " -- remove S/read/w"},
		{name: "whiteout in a write grant", act: rename("S/write/note", "S/write/new", "4"), in: "EPERM", out: "EINVAL",
			control: "write S/home/v -- " + rename("S/home/v", "S/home/v2", "4")},
	}
	return all
}

// devices: none of the host's, and none is made.
func devices() []row {
	all := []row{
		{name: "make a character device", act: call(unix.SYS_MKNODAT, "-100 s:S/write/null 0020666 0x103"), in: "EPERM", root: true,
			control: call(unix.SYS_MKNODAT, "-100 s:S/home/null 0020666 0x103")},
		{name: "make a block device", act: call(unix.SYS_MKNODAT, "-100 s:S/write/disk 0060600 0x700"), in: "EPERM", root: true,
			control: call(unix.SYS_MKNODAT, "-100 s:S/home/disk 0060600 0x700")},
		{name: "make a whiteout", act: call(unix.SYS_MKNODAT, "-100 s:S/write/white 0020666 0"), in: "EPERM", control: call(unix.SYS_MKNODAT, "-100 s:S/home/white 0020666 0")},
		{name: "a device in a write grant", act: "read S/write/device", in: "EACCES", root: true},
		{name: "its controlling terminal", act: call(unix.SYS_OPENAT, "-100 s:/dev/tty 2"), in: "ENXIO EACCES", out: "ENXIO"},
	}
	for _, name := range []string{"kmsg", "mem", "port", "fuse", "kvm", "net/tun", "loop-control", "console", "vda"} {
		all = append(all, row{name: "/dev/" + name, act: call(unix.SYS_OPENAT, "-100 s:/dev/"+name+" 0"), in: "ENOENT", out: "EACCES EPERM EIO",
			weak: "ENOENT: this machine has no such device; the list of /dev stands for it"})
	}
	return append(all, row{name: "anything else in /dev", act: "list /dev", never: "kmsg", weak: "EACCES: /dev cannot be listed"})
}
