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
		"read":   {"PATH", 1, 1, readFile},
		"list":   {"DIR", 1, 1, listDir},
		"write":  {"PATH [TEXT]", 1, 2, put(os.O_TRUNC)},
		"append": {"PATH [TEXT]", 1, 2, put(os.O_APPEND)},
		"stat":   {"PATH", 1, 1, statFile},
		"mkdir":  {"DIR", 1, 1, func(a []string) (Result, error) { return Result{}, os.Mkdir(a[0], 0o755) }},
		"rename": {"FROM TO", 2, 2, func(a []string) (Result, error) { return Result{}, os.Rename(a[0], a[1]) }},
		"link":   {"FROM TO", 2, 2, func(a []string) (Result, error) { return Result{}, os.Link(a[0], a[1]) }},
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
