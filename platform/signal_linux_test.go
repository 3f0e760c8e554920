package platform

import (
	"syscall"
	"testing"
)

func TestSignalName(t *testing.T) {
	for n, want := range map[syscall.Signal]string{
		0: "", syscall.SIGHUP: "SIGHUP", syscall.SIGTERM: "SIGTERM", syscall.SIGSYS: "SIGSYS",
		32: "SIGRTMIN-2", 33: "SIGRTMIN-1", 34: "SIGRTMIN", 37: "SIGRTMIN+3", 64: "SIGRTMIN+30", 65: "", -1: "",
	} {
		if got := SignalName(n); got != want {
			t.Errorf("signal %d is %q, want %q", int(n), got, want)
		}
	}
}
