package platform

import (
	"strconv"
	"syscall"
)

// SignalName is the name of a signal, "SIGTERM". Those that Go makes of what the system tells are all there are.
func SignalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGKILL:
		return "SIGKILL"
	}
	return "signal " + strconv.Itoa(int(s))
}
