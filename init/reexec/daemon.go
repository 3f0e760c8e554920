package reexec

import (
	"os"
	"time"
)

// Arguments, as the only one, with which a host's own binary is the server of a probe: it starts a daemon, which nothing
// but the end of the whole tree ends, and both wait. On standard output comes [Daemonised] from the daemon once it is
// there. Started by anybody else they are two processes that sleep for a while.
const (
	DaemonServer = "mcp-sandbox-probe-server"
	daemonItself = "mcp-sandbox-probe-daemon"
	Daemonised   = "daemonised\n"
)

// daemonLife is how long the two live where nobody ends them.
const daemonLife = time.Minute

// trialDaemon plays one of the two parts if this process was started for it, and then never returns.
func trialDaemon(args []string) {
	if len(args) != 2 || args[1] != DaemonServer && args[1] != daemonItself {
		return
	}
	if args[1] == daemonItself {
		os.Stdout.WriteString(Daemonised)
	} else {
		// By its name: where /proc is empty nobody knows what os.Executable is.
		_, err := os.StartProcess(args[0], []string{args[0], daemonItself},
			&os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: ofItsOwn()})
		if err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
	}
	time.Sleep(daemonLife)
	os.Exit(0)
}
