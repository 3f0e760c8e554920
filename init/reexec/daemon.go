package reexec

import (
	"os"
	"time"
)

// Arguments, as the only one, with which a host's own binary is the server of a probe: it starts a daemon,
// which nothing but the end of the whole tree ends, and both wait. On standard output comes [Daemonised] from
// the daemon once it is there. Started by anybody else they are two processes that sleep for a while.
const (
	DaemonServer = "mcp-sandbox-probe-server"
	daemonItself = "mcp-sandbox-probe-daemon"
	Daemonised   = "daemonised\n"
)

// daemonLife is how long the two live where nobody ends them.
const daemonLife = time.Minute

// isTrial reports whether this process was started to play one of the two parts.
func isTrial(args []string) bool {
	return len(args) == 2 && (args[1] == DaemonServer || args[1] == daemonItself)
}

// trialDaemon plays one of the two parts and returns the exit status. Which program the daemon is no argument decides.
func trialDaemon(part string) int {
	if part == daemonItself {
		os.Stdout.WriteString(Daemonised)
	} else if err := startDaemon(); err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		return 1
	}
	time.Sleep(daemonLife)
	return 0
}

func startDaemon() error {
	self, err := itself()
	if err == nil {
		_, err = os.StartProcess(self, []string{Name + "-trial", daemonItself},
			&os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: ofItsOwn()})
	}
	return err
}
