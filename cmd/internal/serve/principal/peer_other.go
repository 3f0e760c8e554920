//go:build !linux

package principal

import (
	"errors"
	"net"
)

func peerOf(net.Conn) (uid int, err error) { return -1, errors.ErrUnsupported }
