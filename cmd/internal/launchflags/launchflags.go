// Package launchflags is where a program's policy comes from: a file, a descriptor, or nowhere.
//
//	src := launchflags.Source{File: "policy.json", FD: -1}
//	p, err := src.Read(dir, home) // paths absolute, nothing else filled in
//	lines := src.Lines(err, nil)  // one for each thing wrong, as a person reads it
//
// [Launch] is what the flags of a launch say, as either program reads them.
//
// Both programs share this package, so a document means the same to both. Every start of mcp-sandbox-init loads the
// package, so its imports are restricted alike.
package launchflags

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// documentTimeout is how long a document may take to come.
const documentTimeout = 5 * time.Second

// A Source is where a document is. The zero value is descriptor 0.
type Source struct {
	File   string // as given; "" for none
	FD     int    // -1 for none
	ByFlag bool   // File is the value of --policy
}

// setFile takes the value of --policy.
func (s *Source) setFile(file string) error {
	s.ByFlag = true
	switch {
	case strings.HasPrefix(strings.TrimSpace(file), "{"):
		return errors.New("takes a file, and this is a policy itself: write it into a file")
	case strings.Contains(file, "://"):
		return errors.New("takes a file, and this is an address: download it first")
	}
	return Once(&s.File)(file)
}

// Folder is the working folder.
func Folder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		name := os.Getenv("PWD")
		for errors.Unwrap(err) != nil {
			err = errors.Unwrap(err)
		}
		return "", errors.New(strings.TrimSpace("the working folder "+name) + ": " + err.Error() +
			": start from a folder that this user may enter; --cwd names the server's")
	}
	return dir, nil
}

// String is how messages name the source; "" for none.
func (s Source) String() string {
	switch {
	case s.File != "":
		return s.File
	case s.FD >= 0:
		return "--policy-fd " + strconv.Itoa(s.FD)
	}
	return ""
}

var errEmpty = errors.New(`the document is empty: the shortest policy is {"version": 1}`)

// Read reads the whole document, and its relative paths against its folder or, for a descriptor, dir. The descriptor is
// closed. Without a source it is the zero policy, which grants nothing.
func (s Source) Read(dir, home string) (policy.Policy, error) {
	if s.String() == "" {
		return policy.Policy{}, nil
	}
	doc, err := s.document()
	if err != nil {
		return policy.Policy{}, err
	}
	if len(doc) == 0 {
		return policy.Policy{}, errEmpty
	}
	p, err := policy.Parse(doc)
	if err != nil {
		return policy.Policy{}, err
	}
	if path := s.Path(dir); s.File != "" {
		end := len(path)
		for end > 0 && !os.IsPathSeparator(path[end-1]) {
			end--
		}
		dir = path[:end]
	}
	return p.Absolute(dir, home)
}

// Document is the document of a File once more, or that of a descriptor, which is closed.
func (s Source) Document() ([]byte, error) { return s.document() }

func (s Source) document() ([]byte, error) {
	if s.File != "" {
		doc, _, err := platform.ReadDocumentFile(s.File, policy.MaxDocument, documentTimeout)
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err // messages name the file already
		}
		return doc, err
	}
	if err := platform.Inherited(s.FD, false); err != nil {
		return nil, err
	}
	return platform.ReadDocument(s.FD, policy.MaxDocument, documentTimeout)
}

// Path is the absolute path of the document, as given; "" where it is in no file. To be asked before Read, which closes
// a descriptor.
func (s Source) Path(dir string) string {
	switch {
	case s.File == "" && s.FD >= 0:
		return platform.FileOf(s.FD)
	case s.File == "" || isAbsolute(s.File):
		return s.File
	}
	return dir + string(os.PathSeparator) + s.File
}

func isAbsolute(path string) bool {
	return os.IsPathSeparator(path[0]) || len(path) > 2 && path[1] == ':' && os.IsPathSeparator(path[2])
}

// Descriptor reads the number that --policy-fd and --report-fd take. The first three are the server's.
func Descriptor(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return -1, errors.New(strconv.Quote(s) + " is no descriptor: a number from 3 on")
	}
	if n < 3 {
		return -1, errors.New(s + " is the server's: a descriptor from 3 on")
	}
	return int(n), nil
}
