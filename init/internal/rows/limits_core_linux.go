package rows

import "golang.org/x/sys/unix"

// coreLimit stops core dumps. With 0 the kernel would still start a program that kernel.core_pattern names
// ("|program"), on the host and as its root, and hand it the server's memory: of that pattern it looks at one value
// only, 1, which is how it keeps such programs from dumping themselves (core(5), do_coredump). A file is not written
// either: it needs a page. The filter sees to it that the server cannot go back to 0.
func (r *Request) coreLimit() limit {
	hard := r.Machine.Hard[unix.RLIMIT_CORE]
	return limit{name: "core", resource: unix.RLIMIT_CORE, value: min(1, hard), hard: min(1, hard), inherited: hard < 1}
}

// coreDumps says what of core dumps no limit holds.
func (c *check) coreDumps() {
	const want, effect = "none", "a crash of the server has the host's kernel.core_pattern get what its memory holds"
	switch p := c.Machine.CorePattern; {
	case p == '@': // Linux 6.16
		c.lacks("core dumps to a socket", want,
			"kernel.core_pattern is a socket, for which the kernel looks at no limit", effect)
	case p == '|' && c.Machine.Hard[unix.RLIMIT_CORE] == 0:
		c.lacks("core dumps to a program", want,
			"the launcher's own hard limit is 0, and kernel.core_pattern is a program, which only 1 stops", effect)
	}
}
