// Package build tells which build of the project a program is, from what the go command wrote into the program's file.
//
//	build.Read("mcp-sandbox").String() // mcp-sandbox v1.2.3 (commit 0123456789ab, go1.26.8, linux/amd64)
//
// Package runtime/debug has the same, and imports fmt, which every start of mcp-sandbox-init would pay for. So the file
// is read, as "go version -m" does: only on request, and by both programs alike.
package build

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"strings"
)

// A Build is the answer to --version. Version is a tag, or made of the commit's time and name, or "devel" where the go
// command stamped none. Revision is the commit, "" where the sources came from a module proxy.
type Build struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Modified bool   `json:"modified"` // the checkout had changes
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Time     string `json:"-"` // of the commit, as 2026-11-24T03:11:47Z; "" where none was stamped
}

// Read returns the build of the running program. A file that cannot be read leaves the version "devel".
func Read(name string) Build {
	b := Build{Name: name, Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	self, err := os.Executable()
	if err != nil {
		return b
	}
	file, err := os.ReadFile(self)
	if err != nil {
		return b
	}
	b.fill(information(file))
	return b
}

// String is one line, without its end.
func (b Build) String() string {
	commit := ""
	if b.Revision != "" {
		commit = "commit " + b.Revision[:min(12, len(b.Revision))] + ", "
	}
	return b.Name + " " + b.Version + " (" + commit + b.Go + ", " + b.OS + "/" + b.Arch + ")"
}

// fill reads the lines of debug.BuildInfo.String.
func (b *Build) fill(lines string) {
	for line := range strings.Lines(lines) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch key, value, _ := strings.Cut(rest, "="); {
		case kind == "mod":
			if words := strings.Split(rest, "\t"); len(words) > 1 && words[1] != "" && words[1] != "(devel)" {
				b.Version = words[1]
			}
		case kind == "build" && key == "vcs.revision":
			b.Revision = value
		case kind == "build" && key == "vcs.time":
			b.Time = value
		case kind == "build" && key == "vcs.modified":
			b.Modified = value == "true"
		}
	}
}

// Where the information lies in a file: debug/buildinfo. The magic begins with one byte more, by which it differs from
// these words in this package's own text.
const (
	magic     = " Go buildinf:"
	first     = 0xff
	alignment = 16
	header    = 32
	inline    = 2  // of the flags: the strings follow the header
	sentinel  = 16 // bytes before and behind the lines
)

// information finds the lines in a program's file; "" where there are none.
func information(file []byte) string {
	for at := 0; ; at++ {
		i := bytes.Index(file[at:], []byte(magic))
		if i < 0 {
			return ""
		}
		at += i
		begin := at - 1
		if begin < 0 || file[begin] != first || begin%alignment != 0 || len(file) < begin+header {
			continue
		}
		if flags := file[begin+len(magic)+2]; flags&inline == 0 {
			continue
		}
		_, rest := text(file[begin+header:]) // Go's version
		if lines, _ := text(rest); len(lines) > 2*sentinel {
			return string(lines[sentinel : len(lines)-sentinel])
		}
	}
}

// text divides b behind the string that it begins with.
func text(b []byte) (first, rest []byte) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil
	}
	return b[size : size+int(n)], b[size+int(n):]
}
