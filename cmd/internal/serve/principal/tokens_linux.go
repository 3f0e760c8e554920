package principal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// tokens are the lines of a file: PRINCIPAL sha256:HEX. The file has no token, so a reader of it has none.
type tokens struct {
	who  map[[sha256.Size]byte]string
	have map[string]bool
}

// Tokens is the source of a file of tokens. tell learns why a changed file is not used.
func Tokens(file string, tell func(error)) (Source, error) {
	f, err := NewFresh(func() (tokens, error) { return readTokens(file) }, tell, file)
	return Source{func(r *http.Request) (string, error) {
		token, err := bearer(r)
		return f.Get().who[sha256.Sum256([]byte(token))], err
	}, func(who string) bool { return f.Get().have[who] }}, err
}

func readTokens(file string) (tokens, error) {
	t := tokens{map[[sha256.Size]byte]string{}, map[string]bool{}}
	text, err := os.ReadFile(file)
	if err != nil {
		return t, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndexAny(line, " \t")
		digest, ok := strings.CutPrefix(line[at+1:], "sha256:")
		sum, err := hex.DecodeString(digest)
		who := strings.TrimSpace(line[:max(at, 0)])
		if !ok || err != nil || len(sum) != sha256.Size || !Valid(who) {
			return t, fmt.Errorf("%s:%d: a line is PRINCIPAL sha256:HEX, as mcp-sandbox-serve token prints it", file, n)
		}
		t.who[[sha256.Size]byte(sum)] = who
		t.have[who] = true
	}
	if len(t.who) == 0 {
		return t, fmt.Errorf("%s: no token: mcp-sandbox-serve token PRINCIPAL >>%s", file, file)
	}
	return t, nil
}

// NewToken makes a token of 256 bits and more, and the file's line for it.
func NewToken(who string) (token, line string) {
	token = rand.Text() + rand.Text()
	return token, fmt.Sprintf("%s sha256:%x\n", who, sha256.Sum256([]byte(token)))
}

// A Fresh is a value of files, which are read again when they have changed. A file that is broken or missing changes
// nothing.
type Fresh[T any] struct {
	files []string
	read  func() (T, error)
	tell  func(error)

	mu    sync.Mutex
	value T
	stamp string // of the files with this value
	told  string // of files that could not be read
}

// NewFresh reads the files for the first time. tell learns why they could not be read again.
func NewFresh[T any](read func() (T, error), tell func(error), files ...string) (*Fresh[T], error) {
	f := &Fresh[T]{files: files, read: read, tell: tell}
	f.stamp = f.look()
	var err error
	f.value, err = read()
	return f, err
}

func (f *Fresh[T]) look() (stamp string) {
	for _, name := range f.files {
		var st unix.Stat_t
		if err := unix.Stat(name, &st); err != nil {
			stamp += err.Error()
		} else { // a token is as long as the next, and programs set the time of modification: not that of change
			stamp += fmt.Sprint(st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim)
		}
	}
	return stamp
}

// Get is the value of the files as they are.
func (f *Fresh[T]) Get() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	stamp := f.look()
	if stamp == f.stamp {
		return f.value
	}
	if value, err := f.read(); err == nil {
		f.value, f.stamp, f.told = value, stamp, ""
	} else if stamp != f.told { // once; it is tried again, for descriptors may have been too few
		f.told = stamp
		f.tell(err)
	}
	return f.value
}
