package privdir

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// attributes are those of an object that is made with a security descriptor and that no child inherits.
func attributes(sd *windows.SECURITY_DESCRIPTOR) *windows.SecurityAttributes {
	sa := &windows.SecurityAttributes{SecurityDescriptor: sd}
	sa.Length = uint32(unsafe.Sizeof(*sa))
	return sa
}
