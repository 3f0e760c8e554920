package confine

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// A refusedWrite is an open for writing that Landlock must refuse. It proves something only where the user's own rights
// allow it. faccessat2 says so: who watches the file (inotify(7)) would take an open without Landlock for a change.
type refusedWrite struct {
	rule           *rule
	allowed, tried program.Op
}

// timerSlack can be opened for writing by every user; proc_pid_timerslack_ns(5).
const timerSlack = procPath + "/self/timerslack_ns"

// askWrites asks, without Landlock, whether the user may write.
func askWrites(b *build, rules []rule) (writes []refusedWrite) {
	for i := range rules {
		if w := &rules[i]; w.refuses != "" {
			allowed := b.Observe(sys.Faccessat2(sys.CWD, w.refuses, unix.W_OK, unix.AT_EACCESS))
			writes = append(writes, refusedWrite{rule: w, allowed: allowed})
		}
	}
	return writes
}

// tryWrites tries to write, with Landlock: to a file without a name in a folder, else to the file.
func tryWrites(b *build, writes []refusedWrite) {
	for i := range writes {
		w := &writes[i]
		flags := unix.O_WRONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
		if n := w.rule.node; n != nil && n.Folder {
			flags |= unix.O_TMPFILE
		}
		w.tried = b.Observe(sys.Openat(sys.CWD, w.rule.refuses, flags, 0o600))
	}
}

// proveRefusedWrites demands that no file was opened, and that Landlock refused where the user may write.
func proveRefusedWrites(c *check, writes []refusedWrite) {
	for i := range writes {
		w := &writes[i]
		got := c.opened(w.tried)
		// The file system's answer before Landlock is asked: overlayfs before Linux 6.3 has no O_TMPFILE, or the
		// file is being executed.
		first := c.Errno(w.tried) == unix.EOPNOTSUPP || c.Errno(w.tried) == unix.ETXTBSY
		switch {
		case c.result(w.allowed) == "0" && !first:
			c.fact("write "+w.rule.path, "EACCES", got)
		case got == "opened":
			c.refuse("open", w.rule.path, mismatch{"EACCES", got})
		}
	}
}
