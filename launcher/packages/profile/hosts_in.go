package profile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// listed are the paths in a variable. KUBECONFIG, as other variables with such a file, may have a list as PATH has.
func (a *Argument) listed(value string) []string {
	if a.Key == "" {
		return []string{value}
	}
	return slices.DeleteFunc(filepath.SplitList(value), func(path string) bool { return path == "" })
}

// hostsIn grants the hosts that a file names behind its key. A file that the server may write says nothing.
func (a *applying) hostsIn(f folder, writable []string) {
	if f.key == "" || slices.ContainsFunc(writable, func(at string) bool { return platform.Within(f.real, at) }) {
		return
	}
	const most, patience = 1 << 20, time.Second
	text, _, err := platform.ReadDocumentFile(f.real, most, patience)
	if err != nil {
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			err = at.Err // the name of the file is the source's to say
		}
		a.note(f.name(), hostFlag, notice.NotAllowed(f.name(), err.Error(), hostFlag))
		return
	}
	for _, value := range valuesOf(string(text), f.key) {
		a.hosts(&Argument{Grant: Host}, f.name(), value)
	}
}

// valuesOf are the values of a key, as YAML and JSON write a key with its value in one line:
//
//	server: https://a.example.com:6443
//	"server": "https://a.example.com:6443",
func valuesOf(text, key string) (all []string) {
	for line := range strings.Lines(text) {
		for one := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("{},", r) }) {
			name, value, ok := strings.Cut(strings.TrimLeft(one, " \t-"), ":")
			if ok && strings.Trim(name, ` \t"'`) == key {
				value, _, _ = strings.Cut(value, " #")
				all = append(all, strings.Trim(value, " \t\r\n\"'"))
			}
		}
	}
	return all
}
