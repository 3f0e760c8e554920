package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// refusedWrite is a way to write behind a rule that gives reading, where Landlock's rules are the file barrier. The user's own
// rights have to allow it, or its refusal would say nothing: that is asked and not tried, for whoever watches the file would
// take a trial for a change (inotify(7)).
type refusedWrite struct {
	rule           *rule
	allowed, tried program.Op
}

// timerSlack can be opened for writing by anybody; proc_pid_timerslack_ns(5).
const timerSlack = "/proc/self/timerslack_ns"

// reading are the rules that give no right to change anything.
func (w *rule) reading() bool { return w.node != nil && !w.node.Write && !w.node.Device }

// askWrites asks, before the rules hold, whether the user may write there.
func (b *build) askWrites() (acts []refusedWrite) {
	if !b.launch.is(reduced) {
		return nil
	}
	for i := range b.launch.landlock.rules {
		w := &b.launch.landlock.rules[i]
		switch {
		case w.reading():
			acts = append(acts, refusedWrite{rule: w, allowed: b.Observe(sys.Faccessat2(sys.CWD, w.path, unix.W_OK, unix.AT_EACCESS))})
		case w.path == procPath:
			acts = append(acts, refusedWrite{rule: w, allowed: b.Observe(sys.Faccessat2(sys.CWD, timerSlack, unix.W_OK, unix.AT_EACCESS))})
		}
	}
	return acts
}

// tryWrites tries to write, behind the rules: a file of no name in a folder, else what lies there.
func (b *build) tryWrites(acts []refusedWrite) {
	for i := range acts {
		a := &acts[i]
		path, flags := a.rule.path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC
		switch {
		case a.rule.node == nil:
			path = timerSlack
		case a.rule.node.Folder:
			flags |= unix.O_TMPFILE
		}
		a.tried = b.Observe(sys.Openat(sys.CWD, path, flags, 0o600))
	}
}

// refusedWrites compares: nothing was opened, and where the user may write it was Landlock that refused.
func (c *check) refusedWrites(acts []refusedWrite) {
	for i := range acts {
		a := &acts[i]
		name, got := "write "+a.rule.path, c.opened(a.tried)
		// What the file system answers before Landlock is asked: it knows no O_TMPFILE (overlayfs before Linux 6.3), or the file is
		// being executed.
		first := c.Errno(a.tried) == unix.EOPNOTSUPP || c.Errno(a.tried) == unix.ETXTBSY
		switch {
		case c.result(a.allowed) == "0" && !first:
			c.fact(name, "EACCES", got)
		case got == "opened":
			c.refuse("open", a.rule.path, mismatch{"EACCES", got})
		}
	}
}

// opened says how an open went, without the descriptor's number.
func (c *check) opened(o program.Op) string {
	if c.Ran(o) && c.Errno(o) == 0 {
		return "opened"
	}
	return c.result(o)
}
