package attempt

import (
	"os"

	"golang.org/x/sys/unix"
)

// limits reads all sixteen of getrlimit(2).
//
// The soft NOFILE is the one that Go's start-up raised, not the inherited one: os, imported anywhere, raises it to the
// hard limit (golang.org/issue/46279). The hard one is true.
func (p *Posture) limits() map[string]Limit {
	names := [...]string{
		unix.RLIMIT_AS: "AS", unix.RLIMIT_CORE: "CORE", unix.RLIMIT_CPU: "CPU", unix.RLIMIT_DATA: "DATA",
		unix.RLIMIT_FSIZE: "FSIZE", unix.RLIMIT_LOCKS: "LOCKS", unix.RLIMIT_MEMLOCK: "MEMLOCK",
		unix.RLIMIT_MSGQUEUE: "MSGQUEUE", unix.RLIMIT_NICE: "NICE", unix.RLIMIT_NOFILE: "NOFILE",
		unix.RLIMIT_NPROC: "NPROC", unix.RLIMIT_RSS: "RSS", unix.RLIMIT_RTPRIO: "RTPRIO",
		unix.RLIMIT_RTTIME: "RTTIME", unix.RLIMIT_SIGPENDING: "SIGPENDING", unix.RLIMIT_STACK: "STACK",
	}
	all := map[string]Limit{}
	for resource, name := range names {
		var got unix.Rlimit
		err := unix.Prlimit(0, resource, nil, &got)
		p.note("limit "+name, err)
		all[name] = Limit{Soft: got.Cur, Hard: got.Max}
	}
	return all
}

// namespaces are the links under /proc/self/ns; without /proc there is no way to ask.
func (p *Posture) namespaces() map[string]string {
	all := map[string]string{}
	for _, name := range []string{"cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"} {
		link, err := os.Readlink("/proc/self/ns/" + name)
		p.note("namespace "+name, err)
		if err == nil {
			all[name] = link
		}
	}
	return all
}
