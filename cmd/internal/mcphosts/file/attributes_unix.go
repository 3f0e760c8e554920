//go:build darwin || linux

package file

import (
	"strings"

	"golang.org/x/sys/unix"
)

// copyAttributes copies extended attributes, among them access control lists. Those that the system gives itself
// (security., com.apple.) it may refuse.
func copyAttributes(to, from int) error {
	names, err := attribute(func(b []byte) (int, error) { return unix.Flistxattr(from, b) })
	if err == unix.ENOTSUP || err == unix.EPERM {
		return nil
	} else if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		value, err := attribute(func(b []byte) (int, error) { return unix.Fgetxattr(from, name, b) })
		if err == nil {
			err = unix.Fsetxattr(to, name, value, 0)
		}
		if err != nil && !strings.HasPrefix(name, "security.") && !strings.HasPrefix(name, "com.apple.") {
			return err
		}
	}
	return nil
}

// attribute calls with a buffer that is large enough.
func attribute(call func([]byte) (int, error)) ([]byte, error) {
	size, err := call(nil)
	if err != nil || size == 0 {
		return nil, err
	}
	b := make([]byte, size)
	size, err = call(b)
	if err != nil {
		return nil, err
	}
	return b[:size], nil
}
