//go:build !linux

package program

import "strconv"

const nothing = 0

// Name is the system call's number: programs run on Linux only.
func Name(nr uint32) string { return "syscall " + strconv.Itoa(int(nr)) }

func errnoName(v uint64) string { return "-" + strconv.FormatUint(v, 10) }
