package reexec

import (
	"errors"
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/limitsonly"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/windows"
)

// accept reads the order of a Go host from a pipe, and finds the two pipes to that host. The arguments are the handles'
// values; each must be an inherited pipe. A program never has more rights than its caller on Windows.
func accept(args []string) (o *order.Order, host int, watch limitsonly.Watch, err error) {
	if len(args) != 4 || args[0] != ByHost {
		return nil, -1, nil, errArguments
	}
	var fds [3]int
	for i, arg := range args[1:] {
		n, err := strconv.ParseUint(arg, 10, 32)
		if err != nil {
			return nil, -1, nil, errArguments
		}
		fds[i] = platform.Descriptor(windows.Handle(n))
		if err = platform.Inherited(fds[i], i == 1); err != nil {
			return nil, -1, nil, err
		}
		if kind, _ := windows.GetFileType(windows.Handle(n)); kind != windows.FILE_TYPE_PIPE {
			return nil, -1, nil, errors.New("handle " + arg + ": no pipe")
		}
	}
	b, err := platform.ReadDocument(fds[0], maxOrder, orderTimeout)
	if err != nil {
		return nil, -1, nil, err
	}
	o, err = order.Decode(b)
	down := os.NewFile(uintptr(platform.Handle(fds[2])), "host")
	return o, fds[1], watchHost(down), err
}

// unprivileged is nil: on Windows no program has more rights than its caller.
func unprivileged() error { return nil }

// watchHost reads from a host: a byte asks for the server's end, and the end of the pipe is the host's.
func watchHost(down *os.File) limitsonly.Watch {
	return func(gone, asked func()) {
		b := make([]byte, 1)
		for {
			n, err := down.Read(b)
			if err != nil {
				gone()
				return
			}
			if n > 0 {
				asked()
			}
		}
	}
}
