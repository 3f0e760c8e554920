//go:build !darwin && !linux && !windows

package platform

import "errors"

// ReportFD fails on this operating system.
func ReportFD(int) error { return errors.ErrUnsupported }

// CreateReport fails on this operating system.
func CreateReport(string) (int, error) { return -1, errors.ErrUnsupported }
