package main

import (
	"bytes"
	"encoding/binary"
)

// Where the one section is, in the file and in memory. All is of the PE format: "PE Format", Microsoft.
const (
	headers = 0x200
	section = 0x1000
)

// forwarder is a DLL without code whose one export is another library's function.
func forwarder(name, function, target string) []byte {
	exports := exportTable(name, function, target)
	le := binary.LittleEndian
	file := make([]byte, 64, headers+len(exports))
	copy(file, "MZ")
	le.PutUint32(file[60:], 64) // where the PE header is
	file = append(file, "PE\x00\x00"...)
	for _, field := range []any{
		uint16(0x8664), uint16(1), [3]uint32{}, uint16(240), uint16(0x2022), // x86-64, one section, DLL
		// The optional header: PE32+, sizes, entry point, base of code.
		uint16(0x20b), uint16(8), [3]uint32{0, headers, 0}, [2]uint32{0, section},
		uint64(0x6ff000000), uint32(section), uint32(headers), // where it would like to be; alignments
		[6]uint16{6, 0, 0, 0, 6, 0}, [2]uint32{0, 2 * section}, [2]uint32{headers, 0}, // versions, size of all, of the headers
		uint16(3), uint16(0x160), [4]uint64{0x100000, 0x1000, 0x100000, 0x1000}, [2]uint32{0, 16},
		[2]uint32{section, uint32(len(exports))}, [15]uint64{}, // of 16 tables the first is that of the exports
		[8]byte{'.', 'e', 'd', 'a', 't', 'a'}, [4]uint32{uint32(len(exports)), section, headers, headers}, [3]uint32{},
		uint32(0x40000040), // initialised data, readable
	} {
		var b bytes.Buffer
		if err := binary.Write(&b, le, field); err != nil {
			panic(err) // a field of no fixed size
		}
		file = append(file, b.Bytes()...)
	}
	file = append(file, make([]byte, headers-len(file))...)
	file = append(file, exports...)
	return append(file, make([]byte, 2*headers-len(file))...)
}

// exportTable is the section: a directory of 40 bytes, a table each of addresses, names and ordinals, and the strings. An address
// within this section is that of a string: whom to forward to.
func exportTable(name, function, target string) []byte {
	const addresses, names, ordinals, strings = section + 40, section + 44, section + 48, section + 52
	at := uint32(strings)
	place := func(s string) uint32 { p := at; at += uint32(len(s)) + 1; return p }
	pName, pFunction, pTarget := place(name), place(function), place(target)
	var b bytes.Buffer
	for _, n := range []uint32{0, 0, 0, pName, 1, 1, 1, addresses, names, ordinals, pTarget, pFunction, 0} {
		b.Write(binary.LittleEndian.AppendUint32(nil, n))
	}
	for _, s := range []string{name, function, target} {
		b.WriteString(s + "\x00")
	}
	return b.Bytes()
}
