//go:build !linux

package program

import "strconv"

const nothing, mountCall = 0, 0

func errnoName(v uint64) string { return "-" + strconv.FormatUint(v, 10) }
