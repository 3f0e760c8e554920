package runtimes

import (
	"bytes"
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/toolchain"
)

// Head is how much of a program's file [Of] looks at.
const Head = 4096

// Of finds the runtime of a command; nil if the table has no limits for it. names are what the program is called: as it
// was written, and as its links resolve. head is how its file begins, from which scripts and Go programs are known.
func Of(head []byte, names ...string) *Runtime {
	if interpreter, arg, script := toolchain.Shebang(head); script {
		if path.Base(interpreter) == "env" {
			interpreter = toolchain.EnvTarget(arg)
		}
		names = append(names[:len(names):len(names)], interpreter)
	}
	for _, name := range names {
		if r := measured(strings.TrimSuffix(path.Base(name), ".exe")); r != nil {
			return r
		}
	}
	if isGo(head) {
		return measured(goProgram)
	}
	return nil
}

// measured is the row with limits that a program is of.
func measured(program string) *Runtime {
	for i := range table {
		if r := &table[i]; r.measured != "" && (r.has(program) || r.Name == program) {
			return r
		}
	}
	return nil
}

// OfVersion is the runtime where its major version is known: what is enough for every version is then the least for
// those that take the most.
func (r *Runtime) OfVersion(major int) *Runtime {
	if r == nil || r.heavy == 0 || major < r.heavy {
		return r
	}
	known := *r
	for _, column := range [...]int{data, addressSpace} {
		known.needs[column].least = known.needs[column].enough
	}
	return &known
}

// Major is the major version in a runtime's C header, which stands beside its installations; 0 where none is there.
func Major(header []byte) (major int) {
	_, after, _ := bytes.Cut(header, []byte("#define NODE_MAJOR_VERSION "))
	for _, digit := range after {
		if digit < '0' || digit > '9' || major > 999 {
			break
		}
		major = 10*major + int(digit-'0')
	}
	return major
}

// isGo reports whether the file is an ELF program with the note that Go's linker leaves near the beginning: its type,
// 4, and its owner.
func isGo(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x7fELF")) && bytes.Contains(head, []byte("\x04\x00\x00\x00Go\x00\x00"))
}
