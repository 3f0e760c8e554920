package shim

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// lacks are descriptors of the server's own namespaces, which outlive these: the counters and the room are read when
// all of the server has ended. Each is -1 where there is nothing to read.
type lacks struct {
	counters int    // /proc/PID/net/snmp of a network namespace without network; proc_net(5)
	tried    uint64 // the launch's own attempts there, for the proof
	files    int    // a folder on the private tmpfs
}

// openLacks opens the lacks of a server that waits for its release.
func openLacks(s *launch.Sandbox, network bool) lacks {
	l := lacks{counters: -1, files: launch.TakeRoom(s)}
	if s.Shared() {
		return l
	}
	at := "/proc/" + strconv.Itoa(s.Init.PID)
	if !network {
		l.counters = openedOr(at+"/net/snmp", unix.O_RDONLY)
		l.tried = l.read()
	}
	return l
}

// openedOr is -1 for a file that cannot be opened: a line at the end is then missing, and nothing else.
func openedOr(path string, flags int) int {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// found reads the descriptors when the server has ended, and closes them.
func (l *lacks) found() (found notice.Found) {
	if l.counters >= 0 {
		found.Network = l.read() > l.tried
		unix.Close(l.counters)
	}
	if l.files >= 0 {
		const part = 64 // less than that of the files' room is left
		var s unix.Statfs_t
		if unix.Fstatfs(l.files, &s) == nil {
			found.Files = s.Bfree < s.Blocks/part || s.Ffree == 0
		}
		unix.Close(l.files)
	}
	return found
}

// read is how often something in the network namespace asked for an address or a name in vain: without a route, of a
// closed port of UDP, and connections that failed; snmp_counter.rst. IPv6 has no such counters.
func (l *lacks) read() (n uint64) {
	if l.counters < 0 {
		return 0
	}
	unix.Seek(l.counters, 0, unix.SEEK_SET)
	text, err := platform.ReadFD(l.counters, 1<<14)
	if err != nil {
		return 0
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || len(names) != len(words) || names[0] != words[0] {
			names = words // of the line that follows
			continue
		}
		for i, name := range names {
			switch words[0] + name {
			case "Ip:OutNoRoutes", "Udp:NoPorts", "Tcp:AttemptFails":
				v, _ := strconv.ParseUint(words[i], 10, 64)
				n += v
			}
		}
	}
	return n
}
