package attempt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

var errNobody = errors.New("no such process to be seen")

// processes counts what /proc shows beside this process. With a marker it is ok only if a command line holds it:
// numbers mean nothing across pid namespaces, a word chosen by the host does.
func processes(args []string) (Result, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return Result{}, err
	}
	self := strconv.Itoa(os.Getpid())
	var others []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil && e.Name() != self {
			others = append(others, e.Name())
		}
	}
	if len(args) == 0 {
		if len(others) == 0 {
			return Result{}, errNobody
		}
		return said("%d: %s", len(others), strings.Join(others, " "))
	}
	for _, pid := range others {
		line, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
		if err == nil && strings.Contains(string(line), args[0]) {
			return said("pid %s", pid)
		}
	}
	return Result{}, fmt.Errorf("%s: %w, %d others are", args[0], errNobody, len(others))
}

func kill(n []int) (Result, error) {
	n = append(n, 0)
	return Result{}, os.NewSyscallError("kill", unix.Kill(n[0], unix.Signal(n[1])))
}
