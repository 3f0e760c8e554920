package job

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

// How many bytes of a file are read. Strangers write the files of a package: the launcher's memory and time have a
// bound whatever they wrote, and a larger file is an error. Of programs the first bytes are enough.
const (
	mostConfiguration = 4 << 20  // a file of the user's configuration, or of certificates
	MostList          = 16 << 20 // of what an install left: a lock file, a RECORD
)

// OpenRegular opens a file that is none but a regular one.
func OpenRegular(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadRegular reads a file that is none but a regular one.
func ReadRegular(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := OpenRegular(root, name)
	if err != nil {
		return nil, err
	}
	return readOpen(f, name, most)
}

// ReadConfiguration reads a file of a configuration. The author of a project, and every server that can write there,
// may have put a pipe or the way to a device in its place.
func ReadConfiguration(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return readOpen(f, name, mostConfiguration)
}

// readOpen reads an open file, and closes it.
func readOpen(f *os.File, name string, most int64) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > most) {
		err = fmt.Errorf("%s is no file of at most %d bytes", name, most)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// IsMissing reports whether an error says that a file is not there.
func IsMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// WithoutLogins are the lines of a configuration but comments and those that log in, each as seen shows it.
func WithoutLogins(text []byte, seen func(string) string) []byte {
	var kept []string
	for line := range strings.Lines(string(text)) {
		word := strings.TrimSpace(line)
		if word == "" || strings.ContainsRune("#;_", rune(word[0])) || strings.HasPrefix(word, "//") {
			continue
		}
		kept = append(kept, seen(strings.TrimRight(line, "\r\n")))
	}
	return []byte(strings.Join(kept, "\n"))
}

// Variable is a variable in a value of a configuration, as ${NAME}.
var Variable = Pattern(`\$\{([^}?]+)\??\}`)

// Pattern is an expression that is compiled when it is first needed: most starts install nothing, and would wait for
// that twice, as mcp-sandbox and as the shim.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// OwnFolder is the folder of the package that a package manager is itself: "" where it is none. A prefix such as
// ~/.local, in which the user has npm install programs, is not shown as a whole.
func OwnFolder(program string) string {
	const modules = "/node_modules/"
	real, err := filepath.EvalSymlinks(program)
	at := strings.LastIndex(real, modules)
	if err != nil || at < 0 {
		return ""
	}
	words := strings.SplitN(real[at+len(modules):], "/", 3)
	if strings.HasPrefix(words[0], "@") && len(words) > 1 {
		words[0] += "/" + words[1]
	}
	return real[:at+len(modules)] + words[0]
}
