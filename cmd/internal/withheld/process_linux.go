package withheld

import (
	"os"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// readProcess reads /proc/PID. A process of another user, or one that is not dumpable, cannot be read. Process 1 gets
// the orphans of a container too: it is this program's client only where it has the same session.
func readProcess(pid int) (p process, ok bool) {
	if pid < 1 {
		return p, false
	}
	dir := "/proc/" + strconv.Itoa(pid) + "/"
	var err error
	if p.executable, err = os.Readlink(dir + "exe"); err != nil {
		return p, false
	}
	var err1 error
	p.env, err1 = platform.Environ(pid)
	args, err2 := platform.ReadSmall(dir+"cmdline", platform.MaxEnviron)
	if err1 != nil || err2 != nil {
		return p, false
	}
	p.args = strings.Split(string(args), "\x00")
	parent, of, ok := family(dir)
	p.parent = parent
	if ok && pid == 1 {
		_, own, known := family("/proc/self/")
		ok = known && own == of
	}
	return p, ok
}

// family are the parent and the session of a process, by its folder in /proc; proc_pid_stat(5).
func family(dir string) (parent, session int, ok bool) {
	stat, err := platform.ReadSmall(dir+"stat", 4096)
	if err != nil {
		return 0, 0, false
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])) // state ppid pgrp session
	if len(fields) < 4 {
		return 0, 0, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	session, err2 := strconv.Atoi(fields[3])
	return parent, session, err1 == nil && err2 == nil
}
