package reexec

import (
	"os"
	"time"
)

// A probe's server is the host's own binary with the only argument DaemonServer. The server starts a daemon, which
// only the end of the whole tree ends, and both wait. The daemon writes [Daemonised] to standard output.
const (
	DaemonServer = "mcp-sandbox-probe-server"
	daemonArg    = "mcp-sandbox-probe-daemon"
	Daemonised   = "daemonised\n"
)

// daemonLife is the lifetime of the two processes if no signal ends them.
const daemonLife = time.Minute

// isTrial reports whether this process was started as one of the two.
func isTrial(args []string) bool {
	return len(args) == 2 && (args[1] == DaemonServer || args[1] == daemonArg)
}

// trialDaemon is the main of both, and returns the exit status. No argument chooses the daemon's program.
func trialDaemon(arg string) int {
	if arg == daemonArg {
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
		_, err = os.StartProcess(self, []string{Name + "-trial", daemonArg},
			&os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: detached()})
	}
	return err
}
