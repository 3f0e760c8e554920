package runtimes

import (
	"bytes"
	"path"
	"strings"
)

// Head is how much of a program's file [Of] looks at.
const Head = 4096

// Of finds the runtime of a command; nil if the table has none. names are what the program is called: as it was
// written, and as its links resolve. head is how its file begins, from which scripts and Go programs are known.
func Of(head []byte, names ...string) *Runtime {
	if name := interpreter(head); name != "" {
		names = append(names[:len(names):len(names)], name)
	}
	if isGo(head) {
		names = append(names[:len(names):len(names)], goProgram)
	}
	for _, name := range names {
		if r := named(path.Base(name)); r != nil {
			return r
		}
	}
	return nil
}

func named(base string) *Runtime {
	base = strings.TrimSuffix(base, ".exe")
	base = strings.TrimSuffix(base, ".js")                 // npx-cli.js
	unversioned := strings.TrimRight(base, "0123456789.-") // python3.13, node20, java-21
	runtimes := table()
	for i := range runtimes {
		for program := range strings.FieldsSeq(runtimes[i].programs) {
			if program == base || program == unversioned {
				return &runtimes[i]
			}
		}
		if runtimes[i].Name == base {
			return &runtimes[i]
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

// interpreter is the program that a script is for: that of its first line, or the one that env(1) finds for it.
func interpreter(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	text, script := strings.CutPrefix(string(line), "#!")
	if !script {
		return ""
	}
	words := strings.Fields(text)
	for i, word := range words {
		env := i == 0 && path.Base(word) == "env"
		option := i > 0 && (strings.HasPrefix(word, "-") || strings.Contains(word, "="))
		if !env && !option {
			return word
		}
	}
	return ""
}

// isGo reports whether the file is an ELF program with the note that Go's linker leaves near the beginning: its type,
// 4, and its owner.
func isGo(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x7fELF")) && bytes.Contains(head, []byte("\x04\x00\x00\x00Go\x00\x00"))
}
