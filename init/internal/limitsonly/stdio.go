package limitsonly

import (
	"errors"
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

var (
	errStreamClosed = errors.New("it is closed; give it " + os.DevNull)
	errStreamKind   = errors.New("it must be a pipe, socket, terminal, file or " + os.DevNull)
)

// checkStdio refuses a descriptor that is no stream: a folder or a block device. The rule is the same on every system.
func checkStdio() error {
	for fd, f := range [...]*os.File{os.Stdin, os.Stdout, os.Stderr} {
		if err := usable(f); err != nil {
			return &order.Refusal{Layer: order.Descriptors, Op: "use", Path: "descriptor " + strconv.Itoa(fd), Err: err}
		}
	}
	return nil
}
