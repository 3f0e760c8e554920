package platform

// This file: documents that are read, and texts that are written, in bounded time.

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// ReadDocument reads fd from its current offset to its end, at most max bytes, for at most that long, and closes it.
func ReadDocument(fd, max int, within time.Duration) ([]byte, error) {
	f := os.NewFile(uintptr(Handle(fd)), "document")
	if f == nil {
		return nil, ErrClosed
	}
	return readDocument(f, max, within)
}

// ReadDocumentFile reads a file as [ReadDocument] does. No path is known of what was opened.
func ReadDocumentFile(path string, max int, within time.Duration) (doc []byte, opened string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	doc, err = readDocument(f, max, within)
	return doc, "", err
}

// readDocument reads in a goroutine of its own: nothing else ends a read of a pipe. One that comes too late
// leaves it behind.
func readDocument(f *os.File, max int, within time.Duration) ([]byte, error) {
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, ErrFolder
	}
	type result struct {
		b   []byte
		err error
	}
	done := make(chan result, 1)
	go func() {
		b, err := io.ReadAll(io.LimitReader(f, int64(max)+1))
		f.Close()
		done <- result{b, err}
	}()
	select {
	case r := <-done:
		if r.err == nil && len(r.b) > max {
			return nil, ErrTooLong
		}
		return r.b, r.err
	case <-time.After(within):
		return nil, ErrTooSlow
	}
}

// FileOf is the path of the regular file behind a descriptor, and "" if there is something else.
func FileOf(fd int) string {
	h := Handle(fd)
	if kind, err := windows.GetFileType(h); err != nil || kind != windows.FILE_TYPE_DISK {
		return ""
	}
	b := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetFinalPathNameByHandle(h, &b[0], uint32(len(b)), 0)
	if err != nil || n == 0 || int(n) > len(b) {
		return ""
	}
	const prefix = `\\?\` // of a path that Windows does not interpret
	path := windows.UTF16ToString(b[:n])
	if len(path) > len(prefix)+2 && path[:len(prefix)] == prefix && path[len(prefix)+1] == ':' {
		path = path[len(prefix):]
	}
	return path
}

// leastWrite is how long a write may take, whatever is left of its time: no call says beforehand whether there is room,
// and a write into room may be late on a busy machine.
const leastWrite = time.Second

// WriteUntil writes all of b before a moment. A write without a reader is left to a goroutine, which ends with
// this process.
func WriteUntil(fd int, b []byte, until time.Time) error {
	begins, done := make(chan struct{}), make(chan error, 1)
	go func() {
		close(begins)
		done <- writeAll(Handle(fd), b)
	}()
	<-begins
	select {
	case err := <-done:
		return err
	case <-time.After(max(time.Until(until), leastWrite)):
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
