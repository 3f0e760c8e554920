package platform

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// WriteUntil writes all of b before a moment. A write that nobody reads is left to a goroutine of its own: nothing
// ends it but this process.
func WriteUntil(fd int, b []byte, until time.Time) error {
	done := make(chan error, 1)
	go func() { done <- writeAll(Handle(fd), b) }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Until(until)):
		return errors.New("nobody reads it")
	}
}

func writeAll(h windows.Handle, b []byte) error {
	for len(b) > 0 {
		var n uint32
		if err := windows.WriteFile(h, b, &n, nil); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
