//go:build !linux

package main

import (
	"errors"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

const patience = time.Minute

func (s *scene) launch([]string) (*matrix.Observed, error) { return nil, errors.ErrUnsupported }

func (s *scene) doctor() (*matrix.Diagnosis, error) { return nil, errors.ErrUnsupported }
