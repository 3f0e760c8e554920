//go:build darwin || linux

package limitsonly

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// The processes that a shim starts from its own binary, by their first argument.
const (
	helperName   = "server"   // sets the limits in its own process and then executes the server
	watchdogName = "watchdog" // ends the tree should the shim be killed
)

// The helper's descriptors beside the first three.
const (
	orderFD   = 3 // the order comes, to its end
	releaseFD = 4 // a byte releases the server; the end is the shim's
	linesFD   = 5 // lines go to the shim
)

const (
	startTimeout = 30 * time.Second // for the helper, from its start to the line that it is ready
	maxOrder     = 16 << 20         // more than any order has
)

// IsHelper reports whether an argument is the name of a process that a shim starts beside the server.
func IsHelper(name string) bool { return name == helperName || name == watchdogName }

// Helper is the main of such a process, and returns an exit code only on failure.
func Helper(args []string) int {
	if args[0] == watchdogName {
		return watchdog(args[1:])
	}
	toShim := os.NewFile(linesFD, "lines")
	err := runHelper(toShim)
	if errors.Is(err, errShimGone) {
		return ending.ExitSandbox
	}
	errno, _ := errors.AsType[syscall.Errno](err)
	writeLine(toShim, "error", strconv.Itoa(int(errno)), err.Error())
	if errno == syscall.ENOENT {
		return ending.ExitMissing
	}
	return ending.ExitCannot
}

// errShimGone is the end of the shim before the release: the pipe has no reader.
var errShimGone = errors.New("the shim is gone")

// runHelper takes the steps of a plan and writes the values read back, waits for the release, and executes the server.
func runHelper(toShim *os.File) error {
	b, err := platform.ReadDocument(orderFD, maxOrder, startTimeout)
	if err != nil {
		return err
	}
	o, err := order.Decode(b)
	if err != nil {
		return err
	}
	p, err := newPlan(o)
	if err != nil {
		return err
	}
	steps := [...]func(*plan, *os.File) error{closeDescriptors, setUmask, setWorkdir, setLimits, setIDs, checkCommand}
	for _, step := range steps {
		if err = step(p, toShim); err != nil {
			return err
		}
	}
	writeLine(toShim, "ready")
	if n, _ := os.NewFile(releaseFD, "release").Read(make([]byte, 1)); n != 1 {
		return errShimGone
	}
	return os.NewSyscallError("execve "+p.command, syscall.Exec(p.command, p.Command, p.Env))
}

// writeLine writes words with a NUL between them, and a line break.
func writeLine(toShim io.Writer, words ...string) {
	toShim.Write([]byte(strings.ReplaceAll(strings.Join(words, "\x00"), "\n", " ") + "\n"))
}

// writeFact writes a fact with its layer. One without got has a reason and an effect.
func writeFact(toShim *os.File, layer order.Layer, f order.Fact) {
	writeLine(toShim, "fact", string(layer), f.Name, f.Want, f.Got, f.Reason, f.Effect)
}

// errLine is a line that no helper writes.
var errLine = errors.New("not a record of a helper")

// A helperError is an error of a helper's with its number.
type helperError struct {
	text  string
	errno syscall.Errno
}

func (e helperError) Error() string { return e.text }
func (e helperError) Unwrap() error { return e.errno }

// readLine reads a line of the helper's. The error is the helper's, if the line is one.
func readLine(r *bufio.Reader) (words []string, err error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, errors.Join(errors.New("the server's process ended"), err)
	}
	words = strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
	if words[0] == "error" && len(words) == 3 {
		n, _ := strconv.Atoi(words[1])
		return nil, helperError{words[2], syscall.Errno(n)}
	}
	return words, nil
}
