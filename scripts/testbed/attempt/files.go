package attempt

import (
	"io"
	"os"
	"strconv"
	"strings"
)

// readLimit is how much of a file "read" tells, in bytes; it tells the file's first bytes, never its length.
const readLimit = 4096

func fileActions() map[string]action {
	return map[string]action{
		"read":    {"PATH", 1, 1, readFile},
		"list":    {"DIR", 1, 1, listDir},
		"write":   {"PATH [TEXT]", 1, 2, put(os.O_TRUNC)},
		"append":  {"PATH [TEXT]", 1, 2, put(os.O_APPEND)},
		"stat":    {"PATH", 1, 1, statFile},
		"mkdir":   {"DIR", 1, 1, func(a []string) (Result, error) { return Result{}, os.Mkdir(a[0], 0o755) }},
		"remove":  {"PATH", 1, 1, func(a []string) (Result, error) { return Result{}, os.Remove(a[0]) }},
		"symlink": {"TARGET PATH", 2, 2, func(a []string) (Result, error) { return Result{}, os.Symlink(a[0], a[1]) }},
		"chmod":   {"OCTAL PATH", 2, 2, chmod},
		"rename":  {"FROM TO", 2, 2, func(a []string) (Result, error) { return Result{}, os.Rename(a[0], a[1]) }},
		"link":    {"FROM TO", 2, 2, func(a []string) (Result, error) { return Result{}, os.Link(a[0], a[1]) }},
	}
}

func readFile(args []string) (Result, error) {
	f, err := os.Open(args[0])
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, readLimit))
	return Result{Detail: string(text)}, err
}

// listDir tells the names, sorted, one a line.
func listDir(args []string) (Result, error) {
	entries, err := os.ReadDir(args[0])
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return Result{Detail: strings.Join(names, "\n")}, err
}

// put makes the file, or empties it or appends to it; the text is a fixed word unless given.
func put(how int) func([]string) (Result, error) {
	return func(args []string) (Result, error) {
		text := "probe\n"
		if len(args) == 2 {
			text = args[1]
		}
		f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|how, 0o644)
		if err != nil {
			return Result{}, err
		}
		n, err := f.WriteString(text)
		if closed := f.Close(); err == nil {
			err = closed // a full or failing disk may tell only here
		}
		return Result{Detail: strconv.Itoa(n) + " bytes"}, err
	}
}

func statFile(args []string) (Result, error) {
	info, err := os.Lstat(args[0])
	if err != nil {
		return Result{}, err
	}
	return said("%v %d bytes", info.Mode(), info.Size())
}

func chmod(args []string) (Result, error) {
	mode, err := strconv.ParseUint(args[0], 8, 32)
	if err != nil {
		return Result{}, UsageError("chmod: " + args[0] + " is not an octal mode")
	}
	// FileMode keeps the setuid, setgid and sticky bits elsewhere than chmod(2) does.
	perm := os.FileMode(mode & 0o777)
	for bit, flag := range map[uint64]os.FileMode{0o4000: os.ModeSetuid, 0o2000: os.ModeSetgid, 0o1000: os.ModeSticky} {
		if mode&bit != 0 {
			perm |= flag
		}
	}
	return Result{}, os.Chmod(args[1], perm)
}
