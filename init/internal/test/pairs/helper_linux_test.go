package pairs_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// help is a process of the server's.
func help(words []string) int {
	port := 0
	if len(words) > 1 {
		port, _ = strconv.Atoi(words[1])
	}
	switch words[0] {
	case "nothing":
	case "i386":
		jump32()
	case "connect": // standard input
		fmt.Print(nameOf(unix.Connect(0, local(port))))
	case "flood": // until the server ends the process
		busy(port)
		select {}
	case "execve":
		busy(port)
		err := unix.Exec("/proc/self/exe", []string{helperIs, "nothing"}, os.Environ())
		fmt.Println(err)
		return 70
	case "threads":
		shortLived(port)
	case "streams":
		if err := streams(words[1]); err != nil {
			return 71
		}
	default:
		return 70
	}
	return 0
}

// helper is the command of such a process.
func helper(words ...string) *exec.Cmd {
	cmd := testbed.As(helperIs, words...)
	cmd.Env = append(os.Environ(), testbed.NoWait)
	return cmd
}
