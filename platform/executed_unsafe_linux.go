package platform

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

const atExecfn = 31 // getauxval(3)

// Executed is the path that this process's program was executed by, which the kernel keeps; argument 0 is anybody's word.
func Executed() (string, error) {
	auxv, err := unix.Auxv()
	if err != nil {
		return "", err
	}
	for _, v := range auxv {
		if v[0] == atExecfn && v[1] != 0 {
			return unix.BytePtrToString(*(**byte)(unsafe.Pointer(&v[1]))), nil
		}
	}
	return "", errors.New("the kernel does not say what was executed")
}
