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
		"exit":  {"CODE: ends the program, so prints nothing", 1, 1, exit},
		"spin":  {"DURATION: one core, busy", 1, 1, spin},
		"alloc": {"MIB [DURATION]: touch memory and hold it", 1, 2, alloc},
		"spawn": {"COMMAND [ARG...]: run it and tell its output", 1, -1, spawn},
		"env":   {"", 0, 0, environment},
	}
}

func sleep(args []string) (Result, error) {
	d, err := duration(args[0])
	if err == nil {
		time.Sleep(d)
	}
	return Result{}, err
}

func exit(args []string) (Result, error) {
	code, err := number(args[0])
	if err == nil {
		os.Exit(code)
	}
	return Result{}, err
}

// spin looks at the clock seldom, so that the time is the program's own and not the kernel's.
func spin(args []string) (Result, error) {
	d, err := duration(args[0])
	if err != nil {
		return Result{}, err
	}
	rounds := 0
	for end := time.Now().Add(d); time.Now().Before(end); {
		for range 1 << 16 {
			rounds++
		}
	}
	return said("%d rounds", rounds)
}

// alloc writes to each page: memory only reserved is not memory used.
func alloc(args []string) (Result, error) {
	mib, err := number(args[0])
	if err != nil {
		return Result{}, err
	}
	var hold time.Duration
	if len(args) == 2 {
		if hold, err = duration(args[1]); err != nil {
			return Result{}, err
		}
	}
	block := make([]byte, mib<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	time.Sleep(hold)
	return said("%d bytes touched", len(block))
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

// duration reads a Go duration.
func duration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, UsageError(s + " is not a duration such as 500ms")
	}
	return d, nil
}

// number reads any Go integer, 0x too.
func number(s string) (int, error) {
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return 0, UsageError(s + " is not a number")
	}
	return int(n), nil
}
