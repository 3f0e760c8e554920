package handed

import (
	"os"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// maxProcess is more than the arguments or the environment of most processes; execve(2).
const maxProcess = 1 << 20

// readProcess reads /proc/PID. A process of another user, or one that is not dumpable, cannot be read.
func readProcess(pid int) (p process, ok bool) {
	if pid <= 1 {
		return p, false
	}
	dir := "/proc/" + strconv.Itoa(pid) + "/"
	var err error
	if p.executable, err = os.Readlink(dir + "exe"); err != nil {
		return p, false
	}
	env, err1 := platform.ReadSmall(dir+"environ", maxProcess)
	args, err2 := platform.ReadSmall(dir+"cmdline", maxProcess)
	stat, err3 := platform.ReadSmall(dir+"stat", 4096)
	if err1 != nil || err2 != nil || err3 != nil {
		return p, false
	}
	p.env, p.args = strings.Split(string(env), "\x00"), strings.Split(string(args), "\x00")
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ") // state ppid
	if fields := strings.Fields(rest); len(fields) > 1 {
		p.parent, err = strconv.Atoi(fields[1])
		return p, err == nil
	}
	return p, false
}
