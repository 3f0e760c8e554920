package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A block is a fault of the list, and the test that must notice it.
type block struct {
	line     int    // where it begins in the list
	file     string // from the top of the module, as pkg
	pkg      string // the folder of the test
	test     string
	word     string // "", gate, root or user
	old, new []string
}

// String names a block as messages do.
func (b *block) String() string {
	return fmt.Sprintf("%s:%d: %s %s.%s", listFile, b.line, b.file, b.pkg, b.test)
}

// parse reads the list. Its error names each line that is not understood.
func parse(text string) (all []*block, err error) {
	var at *block
	for i, line := range strings.Split(text, "\n") {
		wrong := ""
		switch {
		case line == "":
			at = nil
		case line[0] == '#':
			if at != nil {
				wrong = "a comment within a block"
			}
		case at == nil:
			at = &block{line: i + 1}
			all = append(all, at)
			wrong = at.head(line)
		case line[0] == '-' && at.new == nil:
			at.old = append(at.old, line[1:])
		case line[0] == '+' && at.old != nil:
			at.new = append(at.new, line[1:])
		default:
			wrong = "neither lines with - and then lines with +, nor an empty line"
		}
		if wrong != "" {
			err = errors.Join(err, fmt.Errorf("%s:%d: %s", listFile, i+1, wrong))
		}
	}
	for _, b := range all {
		if b.old == nil {
			err = errors.Join(err, fmt.Errorf("%s:%d: no line with -", listFile, b.line))
		}
	}
	if err == nil && all == nil {
		err = fmt.Errorf("%s: no blocks", listFile)
	}
	return all, err
}

// head reads the first line of a block, and says what is wrong.
func (b *block) head(line string) string {
	words := strings.Fields(line)
	if len(words) < 2 || len(words) > 3 {
		return "not FILE TEST, and gate, root or user"
	}
	b.file, b.pkg, b.test = words[0], path.Dir(words[0]), words[1]
	if dot := strings.LastIndexByte(words[1], '.'); dot >= 0 {
		b.pkg, b.test = words[1][:dot], words[1][dot+1:]
	}
	if !fs.ValidPath(b.file) || !fs.ValidPath(b.pkg) {
		return "a path that is not below the top"
	}
	if !strings.HasPrefix(b.test, "Test") && !strings.HasPrefix(b.test, "Fuzz") { // whose seeds are tests
		return b.test + " is no test"
	}
	if len(words) == 3 {
		b.word = words[2]
	}
	if !slices.Contains([]string{"", "gate", "root", "user"}, b.word) {
		return b.word + " is neither gate, root nor user"
	}
	return ""
}

// change is the file's text with the fault. The old lines stand there once, and the test is there.
func (b *block) change(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, b.file))
	if err != nil {
		return "", err
	}
	lines := strings.Split(string(text), "\n")
	at, found := 0, 0
	for i := 0; i+len(b.old) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(b.old)], b.old) {
			at, found = i, found+1
		}
	}
	switch {
	case found != 1:
		return "", fmt.Errorf("the old text is in the file %d times", found)
	case slices.Equal(b.old, b.new):
		return "", errors.New("the new text is the old one")
	}
	files, err := filepath.Glob(filepath.Join(root, b.pkg, "*_test.go"))
	if err != nil {
		return "", err
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if strings.Contains(string(source), "\nfunc "+b.test+"(") {
			return strings.Join(slices.Replace(lines, at, at+len(b.old), b.new...), "\n"), nil
		}
	}
	return "", fmt.Errorf("there is no test %s in %s", b.test, b.pkg)
}
