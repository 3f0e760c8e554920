//go:build !linux

package fsview

import "errors"

// Plan fails: only Linux has a root that can be built from single paths.
func Plan(Request) (*View, error) {
	return nil, errors.ErrUnsupported
}
