package pair

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// An option is one of getsockopt(2) and setsockopt(2).
type option struct{ level, name int }

const (
	mostOptions = 32 // of one socket
	mostValue   = 64 // bytes of one
)

// asked is the option of a call, its second and third argument.
func (c *waiter) asked() option { return option{c.int(1), c.int(2)} }

// kept reports whether an option of a socket is noted and given back, without an effect: those of a connection of the
// launcher's are set by the launcher.
func (o option) kept() bool {
	switch o.level {
	case unix.SOL_SOCKET:
		return o.name == unix.SO_SNDBUF // with more room an end would be writable before there is a connection
	case unix.SOL_IP, unix.SOL_IPV6, unix.SOL_UDP:
		return true
	case unix.SOL_TCP:
		switch o.name {
		case unix.TCP_INFO, unix.TCP_REPAIR, unix.TCP_ULP:
			return false
		}
		return true
	}
	return false
}

// setOption answers setsockopt(2).
func (c *call) setOption() {
	x, err := c.socket()
	if err == nil {
		err = x.note(&c.waiter, c.asked())
	}
	c.done(err)
}

// note keeps the value of an option.
func (x *socket) note(c *waiter, o option) error {
	size := c.int(4)
	_, known := x.options[o]
	switch {
	case !o.kept(), !known && len(x.options) == mostOptions:
		return unix.ENOPROTOOPT
	case size < 0, size > mostValue:
		return unix.EINVAL
	}
	value := make([]byte, size)
	if err := c.read(c.Args[3], value); err != nil {
		return err
	}
	isSet := bytes.ContainsFunc(value, func(r rune) bool { return r != 0 })
	if o == (option{unix.SOL_IPV6, unix.IPV6_V6ONLY}) && !isSet {
		delete(x.options, o)
		return nil
	}
	if x.options == nil {
		x.options = map[option][]byte{}
	}
	x.options[o] = value
	return nil
}

// getOption answers getsockopt(2).
func (c *call) getOption() {
	x, err := c.socket()
	var value []byte
	isError := c.asked() == option{unix.SOL_SOCKET, unix.SO_ERROR}
	switch {
	case err != nil:
	case isError && x.stream.err == 0 && x.stream.way >= connected:
		err = errNotOurs // the kernel knows of a reset
	default:
		value, err = x.value(c.asked())
	}
	if err == nil {
		err = c.give(value, c.Args[3], c.Args[4], false)
	}
	// A call that is interrupted is made again, and gets the error then.
	if c.done(err) && err == nil && isError && value[0] != 0 {
		x.stream.err = 0
	}
}

// value is an option's.
func (x *socket) value(o option) ([]byte, error) {
	number := func(n int) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(n)) }
	switch {
	case o.kept():
		if value, ok := x.options[o]; ok {
			return value, nil
		}
		return number(0), nil
	case o.level != unix.SOL_SOCKET:
		return nil, unix.ENOPROTOOPT
	}
	switch o.name {
	case unix.SO_TYPE:
		return number(x.kind), nil
	case unix.SO_ERROR:
		return number(int(x.stream.err)), nil
	case unix.SO_DOMAIN:
		return number(x.family), nil
	case unix.SO_PROTOCOL:
		if x.kind == unix.SOCK_DGRAM {
			return number(unix.IPPROTO_UDP), nil
		}
		return number(unix.IPPROTO_TCP), nil
	}
	return nil, unix.ENOPROTOOPT // SO_PEERCRED and its kin: the other end is the launcher's
}
