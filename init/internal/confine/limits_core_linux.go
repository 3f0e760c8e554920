package confine

import "golang.org/x/sys/unix"

// coreLimit prevents core dumps. Limit 0 prevents files only: the kernel would still start the program of
// kernel.core_pattern ("|program"), as the host's root, with the server's memory on its standard input. For
// such a pattern the kernel looks at one value of the limit, 1, by which it keeps these programs from dumping
// themselves (core(5), do_coredump). With limit 1 there is no file either: a file takes a page. The filter
// refuses the server a change to 0.
func (r *Request) coreLimit() limit {
	hard := r.Machine.Hard[unix.RLIMIT_CORE]
	return limit{name: "core", resource: unix.RLIMIT_CORE, value: min(1, hard), hard: min(1, hard), inherited: hard < 1}
}

// coreDumps adds the core dumps that no limit prevents.
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
