//go:build !linux

package machine

import (
	"context"
	"errors"
	"syscall"
)

type daemon struct{}

func bound() *syscall.SysProcAttr { return nil }

func serve(context.Context, string) (*daemon, error) { return nil, errors.ErrUnsupported }

func (*daemon) stop() string { return "" }
