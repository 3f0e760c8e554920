package platform

// CRTHandles reads what a program hands to the C runtime of the one it starts, in lpReserved2 of STARTUPINFO:
// the number of descriptors, a byte of flags for each, and a handle for each. Node.js passes its stdio array
// that way, MSVC's spawn functions their open files. The result is indexed by descriptor; 0 is a closed one.
// Bytes of another kind give nothing.
func CRTHandles(b []byte) []uint64 {
	const size = 8 // of a handle; 64-bit systems only
	if len(b) < 4 {
		return nil
	}
	n := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
	if n > uint64(len(b)) || 4+n*(1+size) > uint64(len(b)) {
		return nil
	}
	flags, b := b[4:4+n], b[4+n:]
	handles := make([]uint64, n)
	for i := range handles {
		const open = 0x01 // FOPEN
		h := uint64(0)
		for j := size - 1; j >= 0; j-- {
			h = h<<8 | uint64(b[i*size+j])
		}
		if flags[i]&open != 0 && int64(h) != -1 && int64(h) != -2 { // closed, and no console
			handles[i] = h
		}
	}
	return handles
}
