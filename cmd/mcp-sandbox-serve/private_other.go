//go:build !linux

package main

import (
	"errors"
	"syscall"
)

func private(string, string, syscall.RawConn) error { return errors.ErrUnsupported }
