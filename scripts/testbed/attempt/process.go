package attempt

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

func processActions() map[string]action {
	return map[string]action{
		"sleep": {"DURATION", 1, 1, sleep},
		"spawn": {"COMMAND [ARG...]: run it and tell its output", 1, -1, spawn},
		"env":   {"", 0, 0, environment},
	}
}

func sleep(args []string) (Result, error) {
	d, err := time.ParseDuration(args[0])
	if err != nil {
		return Result{}, UsageError(args[0] + " is not a duration such as 500ms")
	}
	time.Sleep(d)
	return Result{}, nil
}

// spawn's result is ok if the command ran, whatever its exit status.
func spawn(args []string) (Result, error) {
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) { // it ran
		return said("%v\n%s", err, out)
	}
	return Result{Detail: string(out)}, err
}

func environment(_ []string) (Result, error) {
	return Result{Detail: strings.Join(os.Environ(), "\n")}, nil
}

// number reads any Go integer, 0x too.
func number(s string) (int, error) {
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return 0, UsageError(s + " is not a number")
	}
	return int(n), nil
}
