package diagnose

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// ExecutableHead is how many bytes of a file [Unexecutable] looks at: in them lie an ELF file's table of segments and
// the name of its loader, wherever a common linker puts both.
const ExecutableHead = 4096

// formats are files that people take for programs of this machine, by their first bytes.
var formats = [...]struct{ head, text string }{
	{"MZ", "it is a program for Windows: take the one for Linux"},
	{"\xcf\xfa\xed\xfe", "it is a program for macOS: take the one for Linux"},
	{"\xce\xfa\xed\xfe", "it is a program for macOS: take the one for Linux"},
	{"\xca\xfe\xba\xbe\x00\x00\x00\x02", "it is a program for macOS: take the one for Linux"},
	{"\xca\xfe\xba\xbe", "it is a class of Java: start it by java, with its name"},
	{"\x00asm", "it is WebAssembly: start it by a runtime, as wasmtime"},
	{"PK\x03\x04", "it is an archive: unpack it, or start it by its interpreter, as java -jar or python3"},
	{"\x1f\x8b", "it is a compressed file: unpack it first"},
	{"\xfd7zXZ", "it is a compressed file: unpack it first"},
	{"BZh", "it is a compressed file: unpack it first"},
	{"version https://git-lfs", "it is a pointer of Git LFS, and not the file: type git lfs pull"},
	{"\xef\xbb\xbf#!", "a byte order mark stands in front of its first line: save it as UTF-8 without one"},
	{"{", "it is JSON: name the program as the command, and the file behind it"},
}

// machines are ELF's numbers with the names that Go and archives have for them; elf(5).
var machines = [...]struct {
	number uint16
	name   string
}{{3, "386"}, {8, "mips"}, {21, "ppc64"}, {22, "s390x"}, {40, "arm"}, {62, "amd64"}, {183, "arm64"}, {243, "riscv64"},
	{258, "loong64"}}

// Unexecutable is the kind of a file that the kernel does not execute, with the remedy; "" where nothing tells. head is
// its beginning, arch this machine's name as Go has it, and there reports whether a path is there outside.
func Unexecutable(file string, head []byte, arch string, there func(string) bool) string {
	if machine, loader, ok := elf(head); ok {
		name := ""
		for _, m := range machines {
			if m.number == machine {
				name = m.name
			}
		}
		switch {
		case name != "" && name != arch:
			return "it is a program for " + name + ", and this machine is " + arch + ": take the one for " + arch
		case loader == "":
			return ""
		case there(loader):
			return "its loader " + loader + " is not visible inside: --allow-read " + text.Shell(loader)
		default:
			return "its loader " + loader + " is not there: it was made for another Linux (musl, NixOS); take the " +
				"one for this, or install that loader"
		}
	}
	for i := range formats {
		if strings.HasPrefix(string(head), formats[i].head) {
			return formats[i].text
		}
	}
	lower := strings.ToLower(strings.TrimSpace(string(head[:min(len(head), 64)])))
	switch {
	case head == nil: // it cannot be read
		return ""
	case len(head) == 0:
		return "it is empty"
	case strings.HasPrefix(lower, "<!doctype") || strings.HasPrefix(lower, "<html"):
		return "it is a web page: the download brought something else than the program"
	case bytes.HasPrefix(head, []byte("#!")) || bytes.IndexByte(head, 0) >= 0:
		return ""
	}
	interpreter := runtimes.Starter(file)
	if interpreter == "" {
		interpreter = "sh"
	}
	return `it is a text without a first line "#!INTERPRETER": write its interpreter in front of it (` +
		interpreter + ")"
}

// elf takes the beginning of an ELF file apart: its machine, and the loader that it asks for.
func elf(b []byte) (machine uint16, loader string, ok bool) {
	const header, segment, interp = 64, 56, 3 // Elf64_Ehdr, Elf64_Phdr, PT_INTERP
	if len(b) < header || string(b[:4]) != "\x7fELF" {
		return 0, "", false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b[5] == 2 {
		order = binary.BigEndian
	}
	machine = order.Uint16(b[18:])
	if b[4] != 2 { // of 32 bits
		return machine, "", true
	}
	at, n := order.Uint64(b[32:]), uint64(order.Uint16(b[56:]))
	for most := uint64(len(b) - segment); n > 0 && at <= most; at, n = at+segment, n-1 {
		if order.Uint32(b[at:]) != interp {
			continue
		}
		from, size := order.Uint64(b[at+8:]), order.Uint64(b[at+32:])
		if from < uint64(len(b)) && size <= uint64(len(b))-from {
			text, _, _ := strings.Cut(string(b[from:from+size]), "\x00")
			return machine, text, true
		}
	}
	return machine, "", true
}
