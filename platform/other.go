//go:build !linux && !darwin && !windows

package platform

// This file: systems on which nothing is launched. Each function says so.

import (
	"errors"
	"io"
	"os"
	"time"
)

// Inherited fails: no descriptor is handed over on this operating system yet.
func Inherited(int, bool) error { return errors.ErrUnsupported }

// ReadDocument fails on this operating system.
func ReadDocument(int, int, time.Duration) ([]byte, error) { return nil, errors.ErrUnsupported }

// FileOf knows no path on this operating system.
func FileOf(int) string { return "" }

// ReadDocumentFile reads a file of at most max bytes.
func ReadDocumentFile(path string, max int, _ time.Duration) (doc []byte, opened string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(max)+1))
	if err == nil && len(b) > max {
		err = ErrTooLong
	}
	return b, "", err
}

// ReportFD fails on this operating system.
func ReportFD(int) error { return errors.ErrUnsupported }

// CreateReport fails on this operating system.
func CreateReport(string) (int, error) { return -1, errors.ErrUnsupported }

// ShowsColour reports false: nothing is known of this operating system's terminals.
func ShowsColour(uintptr) bool { return false }
